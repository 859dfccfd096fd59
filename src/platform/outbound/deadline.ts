import { OutboundFault } from './outbound-fault.js';

/**
 * Runs `run` for `timeoutMs` at most and then fails with a `timeout` and `message`. The signal aborts `run`; where it
 * cannot be interrupted, such as while undici waits for a connection, the call still ends in time.
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
