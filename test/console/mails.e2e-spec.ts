import { newId } from '../../src/domain/ids.js';
import {
  aChain,
  aDeposit,
  aMerchant,
  anIntent,
  type IntentTraits,
  type SeededChain,
  type SeededIntent,
} from '../support/factories.js';
import { confirmAsListed, listExactly } from '../support/listed-senders.js';
import { query } from '../support/sql.js';
import { anUnattributedDeposit } from '../support/unattributed-deposits.js';
import type { ConsoleClient } from './console-client.js';
import { addMember, type ConsoleService, signedIn, startConsole } from './console-service.js';
import { withdrawalIn } from './find-operations.js';

// Mails as support gets them. For each: the page on which its text lands, what that page says, and what it offers.

interface Mail {
  readonly text: string;
  /** The page that opens, such as `intent pi_...`; null when the result of the search is the answer. */
  readonly lands: string | null;
  /** What the page, or the result, says. */
  readonly says: RegExp;
  /** The kind of the action beside the sentence. */
  readonly offers?: string;
}

let service: ConsoleService;
let kim: ConsoleClient;
let chain: SeededChain;
beforeAll(async () => {
  service = await startConsole({ live: true });
  const member = await addMember(service, 'kim@example.com', { sandbox: 'support', live: 'viewer' }, { totp: true });
  kim = await signedIn(service, member);
  chain = await aChain(service.database);
  // A service that has just started compiles its code at the first call of each kind.
  const { id } = await intent();
  await kim.get(`/sandbox/search?q=${id}`);
  await kim.get(`/sandbox/intents/${id}`);
});
afterAll(() => service.stop());

const intent = async (more: Partial<IntentTraits> = {}): Promise<SeededIntent> =>
  anIntent(service.database, { tenant: await aMerchant(service.database), chain, ...more });

async function hashOf(depositId: string): Promise<string> {
  const [row] = await query<{ tx_hash: string }>(service.database, 'select tx_hash from deposit where id = $1', [
    depositId,
  ]);
  return row?.tx_hash ?? '';
}

/** A completed intent whose completion was relayed. */
async function completion(): Promise<{ readonly paid: SeededIntent; readonly eventId: string }> {
  const paid = await intent({ status: 'completed' });
  await aDeposit(service.database, paid, { status: 'confirmed' });
  const eventId = newId('evt_');
  await query(
    service.database,
    `insert into event (id, merchant_id, environment, type, resource_id, data, sequence, body)
     values ($1, $2, 'sandbox', 'payment_intent.completed', $3, '{}', 1, '{}')`,
    [eventId, paid.tenant.merchantId, paid.id],
  );
  return { paid, eventId };
}

async function endpoint({ tenant }: SeededIntent, isEnabled: boolean): Promise<string> {
  const id = newId('we_');
  await query(
    service.database,
    `insert into webhook_endpoint (id, merchant_id, environment, url, event_types, secret, enabled, created_at, updated_at)
     values ($1, $2, 'sandbox', 'https://shop.example/hooks', '{payment_intent.completed}', '\\x00', $3, now(), now())`,
    [id, tenant.merchantId, isEnabled],
  );
  return id;
}

/** A delivery of an event, with the answer of its last attempt. */
async function delivery(eventId: string, endpointId: string, status: 'held' | 'dead_letter', answer: number | null) {
  const id = newId('dlv_');
  const isDead = status === 'dead_letter';
  await query(
    service.database,
    `insert into delivery (id, event_id, endpoint_id, status, attempts, finished_at)
     values ($1, $2, $3, $4, $5, case when $4 = 'dead_letter' then now() end)`,
    [id, eventId, endpointId, status, isDead ? 6 : 0],
  );
  if (answer !== null) {
    await query(
      service.database,
      `insert into delivery_attempt (delivery_id, number, started_at, duration_ms, signed_at, response_status)
       values ($1, 6, now(), 40, 0, $2)`,
      [id, answer],
    );
  }
  return id;
}

const MAILS: readonly (readonly [what: string, mail: () => Promise<Mail>])[] = [
  [
    'a hash inside a sentence',
    async () => {
      const paid = await intent({ status: 'completed' });
      const hash = await hashOf(await aDeposit(service.database, paid, { status: 'confirmed' }));
      return {
        text: `Hi! I paid with ${hash}, why does nothing happen?`,
        lands: `intent ${paid.id}`,
        says: /is paid/,
        offers: 'answer_merchant',
      };
    },
  ],
  [
    'a wrong letter case',
    async () => {
      const open = await intent();
      const text = `0X${open.address.slice(2).toUpperCase()}`;
      return { text, lands: `intent ${open.id}`, says: /^No payment of 25 USDC/, offers: 'answer_payer' };
    },
  ],
  [
    'two intents with one reference',
    async () => {
      const ids = [(await intent()).id, (await intent()).id];
      await query(service.database, `update payment_intent set reference = 'INV-77' where id = any($1)`, [ids]);
      return {
        text: 'Our invoice INV-77 is open.',
        lands: null,
        says: /^Several objects have the reference "INV-77"\.$/,
      };
    },
  ],
  [
    'an unknown id',
    async () => {
      const id = newId('pi_');
      return { text: `Please cancel ${id}`, lands: null, says: new RegExp(`^Nothing here is known as ${id}\\.$`) };
    },
  ],
  [
    "the other environment's id",
    async () => {
      const liveChain = await aChain(service.database, { environment: 'live', network: 'ethereum' });
      const { merchantId } = await aMerchant(service.database);
      const { id } = await intent({ tenant: { merchantId, environment: 'live' }, chain: liveChain });
      return { text: id, lands: null, says: /^One object that the text names is in live, not in sandbox\.$/ };
    },
  ],
  [
    'USDT instead of USDC',
    async () => {
      const { id, address } = await intent();
      const stray = await anUnattributedDeposit(service.database, {
        chain,
        address,
        reason: 'other_token',
        contract: '0xdac1',
      });
      const text = `The customer sent USDT, see ${await hashOf(stray)}`;
      return {
        text,
        lands: `intent ${id}`,
        says: /arrived at the address of this intent on polygon, but it asks for USDC/,
        offers: 'command',
      };
    },
  ],
  [
    'paid late',
    async () => {
      const late = await intent({ status: 'expired', expiresIn: -600 });
      const deposit = await aDeposit(service.database, late, { status: 'confirmed' });
      await query(service.database, 'update deposit set late = true where id = $1', [deposit]);
      return {
        text: `${late.address} was paid!`,
        lands: `intent ${late.id}`,
        says: /^25 USDC arrived after this intent had ended/,
        offers: 'answer_merchant',
      };
    },
  ],
  [
    'an endpoint that is disabled',
    async () => {
      const { paid, eventId } = await completion();
      await delivery(eventId, await endpoint(paid, false), 'held', null);
      return {
        text: `${paid.id}: no webhook`,
        lands: `intent ${paid.id}`,
        says: /the endpoint https:\/\/shop\.example\/hooks is disabled/,
        offers: 'open_endpoint',
      };
    },
  ],
  [
    'an event that was never owed',
    async () => {
      const { paid, eventId } = await completion();
      await endpoint(paid, true);
      return {
        text: `We never got ${eventId}.`,
        lands: `intent ${paid.id}`,
        says: /^No webhook was sent when the intent completed/,
        offers: 'send_missing',
      };
    },
  ],
  [
    'a wrong secret at the receiver',
    async () => {
      const { paid, eventId } = await completion();
      await delivery(eventId, await endpoint(paid, true), 'dead_letter', 401);
      return { text: paid.id, lands: `intent ${paid.id}`, says: /was answered 401/, offers: 'resend' };
    },
  ],
  [
    'a payment on hold',
    async () => {
      const held = await intent({ status: 'processing' });
      const deposit = await aDeposit(service.database, held);
      const [row] = await query<{ from_address: string }>(
        service.database,
        'select from_address from deposit where id = $1',
        [deposit],
      );
      const [listing = ''] = await listExactly(service.database, row?.from_address ?? '');
      await confirmAsListed(service.database, deposit, listing);
      return { text: await hashOf(deposit), lands: `intent ${held.id}`, says: /is on hold/, offers: 'command' };
    },
  ],
  [
    'a withdrawal that waits',
    async () => {
      const id = await withdrawalIn({ service, environment: 'sandbox' });
      return { text: `When is ${id} paid?`, lands: `withdrawal ${id}`, says: /^No open vault has checked it yet\.$/ };
    },
  ],
];

interface Finding {
  readonly sentence: string;
}

describe('a pasted mail about', () => {
  it.each(MAILS)('%s lands where it is explained, with what can be done, within two seconds', async (_what, mailOf) => {
    const { text, lands, says, offers } = await mailOf();
    const begun = performance.now();
    const { body: found } = await kim.get(`/sandbox/search?${new URLSearchParams({ q: text }).toString()}`);
    if (lands === null) {
      expect(found['sentence']).toMatch(says);
      return;
    }
    const { page, id } = found['hits'][0].opens;
    expect([found['hits'].length, `${page} ${id}`]).toEqual([1, lands]);
    const { body: shown } = await kim.get(`/sandbox/${page}s/${id}`);
    expect(performance.now() - begun).toBeLessThan(2_000);
    const sentences: string[] =
      page === 'intent' ? shown['explanation'].findings.map(({ sentence }: Finding) => sentence) : [shown['sentence']];
    const place = sentences.findIndex((sentence) => says.test(sentence));
    expect({ sentences, place }).toMatchObject({ place: expect.any(Number) });
    expect(sentences[place]).toMatch(says);
    if (offers !== undefined) expect(shown['actions'][place].kind).toBe(offers);
  });
});
