# Built in one stage, run from another that holds only what runs.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package of this tree needs its install script, and none gets to run one.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 OFFLINE_MODEL=off
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 8080
# It listens on every address, so it starts with a file of tokens only:
#   docker run -v ./tokens.yaml:/etc/stepwise/tokens.yaml:ro -e AUTH_TOKENS_FILE=/etc/stepwise/tokens.yaml …
# or with ALLOW_UNAUTHENTICATED=on, if something in front of it knows its callers. To make a token:
#   docker run --rm … node dist/cli/main.js token NAME
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1 and handles SIGTERM; nothing is ever written to disk.
CMD ["node", "dist/service/main.js"]
