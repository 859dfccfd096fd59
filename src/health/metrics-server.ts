import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { Metrics } from '../platform/metrics.js';

/** Serves `/metrics` on its own port, so that a deployment can keep it private. Returns a function that closes the server. */
export async function serveMetrics(metrics: Metrics, host: string, port: number): Promise<() => Promise<void>> {
  const server: Server = createServer((req, res) => {
    if (req.url !== '/metrics') {
      res.writeHead(404).end();
      return;
    }
    void metrics.registry.metrics().then(
      (text) => res.writeHead(200, { 'Content-Type': metrics.registry.contentType }).end(text),
      () => res.writeHead(500).end(),
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
}
