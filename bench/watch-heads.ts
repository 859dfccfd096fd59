import { z } from 'zod';

const notification = z.object({
  method: z.literal('eth_subscription'),
  params: z.object({ result: z.object({ number: z.string() }) }),
});

/** The times at which the node announced the blocks of a chain. */
export interface Heads {
  /** The time, by `performance.now()`, at which the block of this height was announced. */
  seenAt(height: number): Promise<number>;
  close(): void;
}

/** Subscribes to a node's new heads; resolves when it is subscribed. */
export async function watchHeads(rpcUrl: string): Promise<Heads> {
  const seen = new Map<number, PromiseWithResolvers<number>>();
  const at = (height: number): PromiseWithResolvers<number> => {
    const known = seen.get(height) ?? Promise.withResolvers<number>();
    seen.set(height, known);
    return known;
  };
  const socket = new WebSocket(rpcUrl.replace(/^http/, 'ws'));
  const subscribed = Promise.withResolvers<void>();
  socket.addEventListener('open', () =>
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] })),
  );
  socket.addEventListener('error', () => subscribed.reject(new Error(`${rpcUrl} announces no heads.`)));
  socket.addEventListener('message', ({ data }) => {
    const now = performance.now();
    const message = notification.safeParse(JSON.parse(String(data)));
    if (message.success) at(Number(message.data.params.result.number)).resolve(now);
    else subscribed.resolve();
  });
  await subscribed.promise;
  return { seenAt: (height) => at(height).promise, close: () => socket.close() };
}
