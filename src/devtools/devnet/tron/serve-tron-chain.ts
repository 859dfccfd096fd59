import { once } from 'node:events';
import { TronNode, type TronNodeOptions } from './chain/tron-node.js';
import { tronServer } from './http/tron-server.js';

/** Opens the chain and serves it on 127.0.0.1 until a signal comes. Its output is read by `runTronChain`. */
export async function serveTronChain({ port, ...options }: TronNodeOptions & { readonly port: number }): Promise<void> {
  const node = await TronNode.open(options).catch((error: unknown) => {
    throw new Error('The journal cannot be replayed.', { cause: error });
  });
  const server = tronServer(node);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  node.schedule();
  process.stdout.write(`Listening on 127.0.0.1:${port}\n`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close();
      server.closeAllConnections();
      void node.stop().then(() => process.exit(0));
    });
  }
}
