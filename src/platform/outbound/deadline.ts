import { OutboundFault } from './outbound-fault.js';

/**
 * Runs for `timeoutMs` at most and then fails with a `timeout` that carries `message`. It ends in time even where
 * `run` cannot be interrupted, as while undici waits for a connection; where it can be, the signal does so.
 */
export async function withDeadline<T>(
  timeoutMs: number,
  message: string,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const fault = new OutboundFault('timeout', message);
      controller.abort(fault);
      reject(fault);
    }, timeoutMs);
  });
  try {
    return await Promise.race([run(controller.signal), expiry]);
  } finally {
    clearTimeout(timer);
  }
}
