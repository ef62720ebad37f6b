# Builds in one stage, and runs in another that has only the files needed to run. The exact Node version makes builds of the same
# sources equal; a digest guarantees it: --build-arg NODE=node:24.21.0-slim@sha256:…
ARG NODE=node:24.21.0-slim

FROM ${NODE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The lock file has a hash for each package. No package needs its install script, so none may run one.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build-playground.js scripts/build-contract-page.js ./scripts/
COPY examples/shop ./examples/shop
COPY examples/tour ./examples/tour
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts
# All files get this time, so that two builds are equal byte for byte. Use the time of the last commit:
#   --build-arg SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
ARG SOURCE_DATE_EPOCH=0
RUN find package.json node_modules dist -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH}" {} +

FROM ${NODE}
LABEL org.opencontainers.image.title="Stepwise" \
      org.opencontainers.image.description="One HTTP call is one step of a ReAct agent" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OFFLINE_MODEL=off
WORKDIR /app
# Owned by root, so that the process cannot change its own code.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The user `node`, by number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080
# The service listens on every address, so it needs a file of tokens. Mount its folder: a single mounted file does not change
# when it is replaced.
#   docker run -v ./tokens:/etc/stepwise:ro -e AUTH_TOKENS_FILE=/etc/stepwise/tokens.yaml …
# Or set ALLOW_UNAUTHENTICATED=on if a proxy authenticates the callers. To create a token:
#   docker run --rm … node dist/cli/main.js token NAME
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and handles SIGTERM. The service never writes to disk.
CMD ["node", "dist/service/main.js"]
