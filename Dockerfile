# The service on a slim Debian image, with the Node version of the lock file, as an unprivileged user.
#   docker build -t gatehouse . && docker run -p 8080:8080 -v gatehouse:/data gatehouse
# The root file system can be read-only (--read-only --tmpfs /tmp). See docs/operations.md.
FROM node:26-bookworm-slim@sha256:367679cf9792759492a486e4aa4b421764d71a9546a6dae8aab81a99eb797b3e AS build
WORKDIR /app
# Files that rarely change come first: later builds reuse their layers.
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY packages/contract/package.json packages/contract/
COPY packages/filter/package.json packages/filter/
COPY packages/server/package.json packages/server/
COPY packages/site/package.json packages/site/
COPY packages/widget/package.json packages/widget/
COPY bench/package.json bench/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY packages packages
COPY docs docs
COPY CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
RUN npm run build
# Keeps only the packages that the service needs at run time.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund --workspace packages/server --include-workspace-root \
    && rm -rf node_modules/vite node_modules/@scalar node_modules/rolldown node_modules/@rolldown node_modules/lightningcss* \
    node_modules/playwright-core node_modules/react-dom node_modules/node-linux-*/include \
    && find node_modules -type d -empty -delete

FROM debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
# Libraries that Node needs. The user is numeric, because Kubernetes can only verify a numeric user.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libatomic1 libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && install -d -m 0700 -o 65532 -g 65532 /data
WORKDIR /app
COPY --from=build /app/package.json package.json
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages/console/package.json packages/console/package.json
COPY --from=build /app/packages/console/dist packages/console/dist
COPY --from=build /app/packages/contract packages/contract
COPY --from=build /app/packages/filter packages/filter
COPY --from=build /app/packages/server packages/server
COPY --from=build /app/packages/site/package.json packages/site/package.json
COPY --from=build /app/packages/site/dist packages/site/dist
COPY --from=build /app/packages/widget/package.json packages/widget/package.json
COPY --from=build /app/packages/widget/dist packages/widget/dist
COPY LICENSE LICENSE
# The compile cache is in /tmp, which is writable even if the root file system is not.
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
# Checks only that the process responds. Load balancers check readiness at /readyz.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GATEHOUSE_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# start.sh replaces itself with node, which therefore receives the signals.
CMD ["/bin/sh", "/app/packages/server/start.sh"]
