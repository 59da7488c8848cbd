# The hosted composition of Footnote: one process, not root, no build tools and no pip inside.

FROM debian:trixie-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
# The lock has three parts: runtime, build back-end, development. The last is left out; the second goes again below.
RUN python3 -m venv /opt/footnote \
 && sed '/^# == development$/,$d' requirements.lock > /tmp/wanted.lock \
 && /opt/footnote/bin/pip install --no-cache-dir --require-hashes --only-binary=:all: -r /tmp/wanted.lock
COPY bot ./bot
COPY runtime ./runtime
COPY guest ./guest
COPY manifests ./manifests
# The sealed Python: built with componentize-py from the lock's development part, which goes again at once. What
# it leaves is laid into the installed package, compiled for this architecture, so that no start compiles.
RUN awk '/^[^ #]/ { wanted = /^componentize-py==/ } wanted' requirements.lock > /tmp/guest.lock \
 && /opt/footnote/bin/pip install --no-cache-dir --no-deps --require-hashes --only-binary=:all: -r /tmp/guest.lock \
 && /opt/footnote/bin/python -m guest.build \
 && /opt/footnote/bin/pip uninstall --yes --quiet componentize-py
RUN /opt/footnote/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
 && cp -n guest/_build/*.cwasm* guest/_build/manifest.json guest/_build/guest.wasm \
      "$(cd / && /opt/footnote/bin/python -c 'import guest.host.opening as o; o.BUILT.mkdir(exist_ok=True); print(o.BUILT)')" \
 && sed -n '/^# == build back-end$/,$p' /tmp/wanted.lock | sed -n 's/^\([A-Za-z0-9._-]*\)==.*/\1/p' \
  | xargs /opt/footnote/bin/pip uninstall --yes --quiet pip \
 && /opt/footnote/bin/python -m compileall -q /opt/footnote/lib

FROM debian:trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends \
      python3 ca-certificates tzdata fonts-droid-fallback fonts-noto-color-emoji fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/footnote --create-home --shell /usr/sbin/nologin footnote
COPY --from=build /opt/footnote /opt/footnote
ENV PATH=/opt/footnote/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    FOOTNOTE_COMPOSITION=hosted \
    FOOTNOTE_DATA_DIR=/var/lib/footnote \
    FOOTNOTE_LOG=json
WORKDIR /var/lib/footnote
VOLUME /var/lib/footnote
USER 10001:10001
EXPOSE 8080
STOPSIGNAL SIGTERM
ENTRYPOINT ["footnote"]
CMD ["serve"]
