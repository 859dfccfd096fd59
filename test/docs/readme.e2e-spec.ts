import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { writeSandboxFile } from '../../src/app/start/first-run.js';
import { codeBlock, readDocument } from '../support/markdown.js';
import { itWith } from '../support/tools.js';
import { startWorld, type World } from '../support/world.js';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Runs the README's tour in a shell, with the world's address and `sandbox.json`, and returns its output. */
async function takeTour(): Promise<string> {
  const { dataDir, url, apiKey, merchantId } = world;
  const sandbox = await writeSandboxFile(dataDir, {
    apiUrl: url,
    apiKey,
    merchantId,
    chains: [],
    pockets: {},
    admin: { email: 'admin@localhost', password: null },
  });
  const tour = codeBlock(readDocument('README.md'), 'tour')
    .replace('http://127.0.0.1:3000', url)
    .replace('.data/sandbox.json', sandbox);
  const bash = spawn('bash', ['-euo', 'pipefail'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => bash.once('exit', resolve));
  bash.stdin.end(tour);
  const [printed, complaints, code] = await Promise.all([text(bash.stdout), text(bash.stderr), ended]);
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' });
  return printed;
}

type Answer = Record<string, unknown> & { data: Record<string, unknown>[] };
const answersIn = (printed: string): Answer[] =>
  printed.split('\n').flatMap((line): Answer[] => (line.startsWith('{') ? [JSON.parse(line)] : []));

describe('the tour of README.md', () => {
  itWith('curl')('leads from an intent to a withdrawal, and shows an error and a repeat on the way', async () => {
    const printed = await takeTour();
    const [created, addressed, order, completed, list, pockets, events, ...others] = answersIn(printed);
    const [preview, accepted, paid, refused, repeated] = others;
    expect(created).toMatchObject({ object: 'payment_intent', status: 'requires_action', crypto_amount: null });
    expect(addressed).toMatchObject({ id: created?.['id'], crypto_amount_decimal: '25', token_price_cents: 100 });
    expect(order).toMatchObject({ object: 'sandbox_payment', status: 'queued', amount_decimal: '25' });
    expect(completed).toMatchObject({ status: 'completed', received_amount_cents: 2500, remaining_amount_cents: 0 });
    expect(list?.data.map(({ id }) => id)).toEqual([created?.['id']]);
    expect(pockets?.data).toContainEqual(
      expect.objectContaining({ network: 'polygon', token: 'USDC', available_cents: 2500 }),
    );
    expect(events?.data.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['payment_intent.payment_received', 'payment_intent.completed']),
    );
    expect(preview).toMatchObject({ object: 'withdrawal_preview', would_succeed: true, failing_checks: [] });
    expect(accepted).toMatchObject({
      object: 'withdrawal',
      status: 'broadcasting',
      tx_hash: null,
      amount_cents: 1000,
    });
    expect(paid).toMatchObject({ id: accepted?.['id'], status: 'completed', reference: 'payout-77' });
    expect(refused).toMatchObject({ error: { code: 'invalid_request', param: 'amount_cents' } });
    expect(printed).toMatch(/^Idempotent-Replayed: true\r$/m);
    expect(repeated).toEqual(created);
  });
});
