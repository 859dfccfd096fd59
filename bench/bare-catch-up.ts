/**
 * The baseline of catching up: fetches the same headers and the logs of each block by its hash, ten blocks at once, and
 * parses the JSON; it links, matches and stores nothing. Run by `fork`; takes a `CatchUpOrder`, answers with seconds.
 */
import { Agent, request } from 'undici';

const HEADERS_AT_ONCE = 50;
const LOGS_AT_ONCE = 10;

/** Blocks `from` to `to`, and the token whose transfers are read. */
export interface CatchUpOrder {
  readonly url: string;
  readonly token: string;
  readonly topic: string;
  readonly from: number;
  readonly to: number;
}

const agent = new Agent();

async function ask<Answer>(url: string, body: object): Promise<Answer> {
  const answer = await request(url, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return JSON.parse(await answer.body.text());
}

async function run({ url, token, topic, from, to }: CatchUpOrder): Promise<number> {
  let startedAt = performance.now();
  for (let first = from; first <= to; first += HEADERS_AT_ONCE) {
    // The first connection and the first batch are not measured, as for the service.
    if (first === from + HEADERS_AT_ONCE) startedAt = performance.now();
    const heights = Array.from({ length: Math.min(HEADERS_AT_ONCE, to - first + 1) }, (_, n) => first + n);
    const headers = await ask<{ result: { hash: string } }[]>(
      url,
      heights.map((height) => ({
        jsonrpc: '2.0',
        id: height,
        method: 'eth_getBlockByNumber',
        params: [`0x${height.toString(16)}`, false],
      })),
    );
    for (let n = 0; n < headers.length; n += LOGS_AT_ONCE) {
      await Promise.all(
        headers.slice(n, n + LOGS_AT_ONCE).map(({ result: { hash } }) =>
          ask(url, {
            jsonrpc: '2.0',
            id: 1,
            method: 'eth_getLogs',
            params: [{ blockHash: hash, address: [token], topics: [topic] }],
          }),
        ),
      );
    }
  }
  const blocks = to - from + 1;
  return (((performance.now() - startedAt) / 1000) * blocks) / (blocks - HEADERS_AT_ONCE);
}

process.on('message', (order: CatchUpOrder) => {
  void run(order).then((seconds) => process.send?.(seconds));
});
