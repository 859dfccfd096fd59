/**
 * Browsers that show the landing page of the console, in a separate process: each signs in, follows the stream of changes, and
 * asks for its page as the page itself does. Run by `fork` with the URL of the service, the e-mail address and the password
 * of a member, and how many; sends `ready` once all follow, and answers each message with `ConsolesResult`, the counts since
 * the last one.
 */
import { Agent, fetch } from 'undici';

/** The topics of the landing page, and its pauses between two loads, as in admin-ui/src/live. */
const TOPICS = ['dead_letters', 'endpoints'];
const PAUSE_MS = 2_000;
const PAUSE_WHEN_BUSY_MS = 5_000;
const POLL_MS = 30_000;
/** Signing in hashes a password: the service takes two at a time. */
const SIGN_INS = 2;

export interface ConsolesResult {
  readonly changes: number;
  readonly loads: number;
  /** Why a browser no longer follows or loads; then the figures are invalid. */
  readonly failure: string | null;
}

const [url = '', email = '', password = '', wanted = '0'] = process.argv.slice(2);
// A stream is silent between two heartbeats.
const dispatcher = new Agent({ bodyTimeout: 0, headersTimeout: 0 });
let [changes, loads] = [0, 0];
let failure: string | null = null;
const failed = (error: unknown): void => void (failure ??= String(error));

async function cookieOf(): Promise<string> {
  const answer = await fetch(`${url}/admin/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-coffer-console': '1', origin: url },
    body: JSON.stringify({ email, password }),
    dispatcher,
  });
  if (!answer.ok) throw new Error(`The sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** One browser: loads at once when its topics change, and after that with pauses. */
function page(cookie: string): { readonly note: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let pausedUntil = 0;
  const load = async (): Promise<void> => {
    const headers = { cookie, 'x-coffer-console': '1', 'x-coffer-poll': '1' };
    const answer = await fetch(`${url}/admin/api/sandbox/dead-letters`, { headers, dispatcher });
    await answer.text();
    if (!answer.ok) failed(`The page answered ${answer.status}.`);
    loads += 1;
  };
  setInterval(() => void load().catch(failed), POLL_MS);
  return {
    note: () => {
      if (timer !== undefined) return;
      const pauseMs = Math.max(0, pausedUntil - performance.now());
      timer = setTimeout(() => {
        timer = undefined;
        pausedUntil = performance.now() + (pauseMs > 0 ? PAUSE_WHEN_BUSY_MS : PAUSE_MS);
        void load().catch(failed);
      }, pauseMs);
    },
  };
}

/** Follows the stream for good; resolves once it is ready. */
async function follow(cookie: string): Promise<void> {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const headers = { cookie, accept: 'text/event-stream' };
  const answer = await fetch(`${url}/admin/api/stream`, { headers, dispatcher });
  if (!answer.ok || answer.body === null) throw new Error(`The stream answered ${answer.status}.`);
  const { note } = page(cookie);
  const read = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of body) {
      const messages = (text + decoder.decode(chunk, { stream: true })).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        if (message.includes('event: ready')) resolve();
        if (message.includes('event: end')) throw new Error(message);
        if (!message.includes('event: changed')) continue;
        changes += 1;
        if (TOPICS.some((topic) => message.includes(`"${topic}"`))) note();
      }
    }
    throw new Error('A stream ended.');
  };
  read(answer.body).catch((error: unknown) => {
    failed(error);
    reject(error instanceof Error ? error : new Error(String(error)));
  });
  await ready;
}

process.on('message', () => {
  process.send?.({ changes, loads, failure } satisfies ConsolesResult);
  [changes, loads] = [0, 0];
});

let left = Number(wanted);
async function open(): Promise<void> {
  while (left > 0) {
    left -= 1;
    await follow(await cookieOf());
  }
}
await Promise.all(Array.from({ length: SIGN_INS }, open));
process.send?.('ready');
