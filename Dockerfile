# Built in one stage, run from another that holds only what runs. An exact version, so that a build of the same sources is the
# same; with a digest it cannot be another: --build-arg NODE=node:24.21.0-slim@sha256:…
ARG NODE=node:24.21.0-slim

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The lock names each package by its hash. None of them needs its install script, and none gets to run one.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-playground.js scripts/build-contract-page.js ./scripts/
COPY examples/shop ./examples/shop
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts
# The time of the last commit, or any other: all files get it, so that two builds are the same byte for byte.
#   --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
ARG SOURCE_DATE_EPOCH=0
RUN find package.json node_modules dist -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${NODE}
LABEL org.opencontainers.image.title="Stepwise" \
      org.opencontainers.image.description="One HTTP call is one step of a ReAct agent" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OFFLINE_MODEL=off
WORKDIR /app
# Root's, so that the process cannot change what it runs.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The user `node`, by its number: Kubernetes can tell from it that this is not root.
USER 1000:1000
EXPOSE 8080
# It listens on every address, so it starts with a file of tokens only; its folder is mounted, as a file mounted by itself never changes:
#   docker run -v ./tokens:/etc/stepwise:ro -e AUTH_TOKENS_FILE=/etc/stepwise/tokens.yaml …
# or with ALLOW_UNAUTHENTICATED=on, if something in front of it knows its callers. To make a token:
#   docker run --rm … node dist/cli/main.js token NAME
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and handles SIGTERM; nothing is ever written to disk.
CMD ["node", "dist/service/main.js"]
