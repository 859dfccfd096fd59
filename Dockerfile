# The steps are the README's: npm install, npm run build. The image runs any role; see docker-compose.yml.
FROM node:26-slim AS build
WORKDIR /coffer
COPY . .
RUN npm install
RUN npm run build
RUN npm prune --omit=dev

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /coffer
COPY --from=build /coffer/package.json ./
COPY --from=build /coffer/node_modules ./node_modules
COPY --from=build /coffer/dist ./dist
COPY --from=build /coffer/admin-ui/dist ./admin-ui/dist
COPY --from=build /coffer/bin ./bin
COPY --from=build /coffer/docs ./docs
COPY --from=build /coffer/data ./data
# The vault file is in /data, which belongs to the user of the service.
RUN mkdir --mode=711 /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "bin/service.js"]
