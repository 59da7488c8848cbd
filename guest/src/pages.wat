;; The Python module `pages`: pages() tells how many pages of 64 KiB this guest's memory has. WebAssembly memory never
;; shrinks, so that is the most it had. Python has no other way to see it; componentize-py links this file in as it
;; does with compiled extension modules.
(module
  (@dylink.0 (mem-info (memory 96 2) (table 1 0)))
  (import "env" "memory" (memory 1))
  (import "env" "__indirect_function_table" (table 1 funcref))
  (import "env" "__memory_base" (global $data i32))
  (import "env" "__table_base" (global $functions i32))
  (import "env" "PyModule_Create2" (func $module (param i32 i32) (result i32)))
  (import "env" "PyLong_FromUnsignedLong" (func $number (param i32) (result i32)))
  (elem (global.get $functions) func $pages)
  (data (global.get $data) "pages\00")

  (func $pages (param i32 i32) (result i32)
    (call $number (memory.size)))

  (func (export "PyInit_pages") (result i32)
    ;; At 8 the list of methods, one PyMethodDef: its name, its function, METH_NOARGS; zeros end the list.
    (i32.store offset=8 (global.get $data) (global.get $data))
    (i32.store offset=12 (global.get $data) (global.get $functions))
    (i32.store offset=16 (global.get $data) (i32.const 4))
    ;; At 40 the PyModuleDef: one reference, its name (at 60), no state (-1 at 68), its methods (at 72).
    (i32.store offset=40 (global.get $data) (i32.const 1))
    (i32.store offset=60 (global.get $data) (global.get $data))
    (i32.store offset=68 (global.get $data) (i32.const -1))
    (i32.store offset=72 (global.get $data) (i32.add (global.get $data) (i32.const 8)))
    ;; 1013 is PYTHON_API_VERSION.
    (call $module (i32.add (global.get $data) (i32.const 40)) (i32.const 1013))))
