# The service on Debian's smallest image, with the runtime that the lock file pins, as a user without rights:
#   docker build -t gatehouse . && docker run -p 8080:8080 -v gatehouse:/data gatehouse
# The root file system may be read-only (--read-only --tmpfs /tmp). See docs/operations.md.
FROM node:26-bookworm-slim AS build
WORKDIR /app
# What changes seldom comes first, so that the next build has it already.
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/filter/package.json packages/filter/
COPY packages/server/package.json packages/server/
COPY packages/widget/package.json packages/widget/
COPY bench/package.json bench/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY packages packages
RUN npm run build
# What runs the service, and nothing that only builds, tests or describes it.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace packages/server --include-workspace-root \
    && rm -rf node_modules/vite node_modules/rolldown node_modules/@rolldown node_modules/lightningcss* \
    node_modules/playwright-core node_modules/react-dom node_modules/node-linux-*/include

FROM debian:bookworm-slim
# Libraries of the runtime. Numbers instead of names, which Kubernetes can check to be nobody's with rights.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libatomic1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -m 0700 -o 65532 -g 65532 /data
WORKDIR /app
COPY --from=build /app/package.json package.json
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages/contract packages/contract
COPY --from=build /app/packages/filter packages/filter
COPY --from=build /app/packages/server packages/server
COPY --from=build /app/packages/widget/package.json packages/widget/package.json
COPY --from=build /app/packages/widget/dist packages/widget/dist
COPY LICENSE LICENSE
# Compiled code is kept where something can be written, if anywhere.
ENV PATH=/app/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/gatehouse-compiled \
    GATEHOUSE_HOST=0.0.0.0 \
    GATEHOUSE_PORT=8080 \
    GATEHOUSE_DATA_DIR=/data
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Whether the process answers. Whether it is ready, load balancers ask at /readyz.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GATEHOUSE_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# start.sh replaces itself by node, so that signals reach it.
CMD ["/bin/sh", "/app/packages/server/start.sh"]
