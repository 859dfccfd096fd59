import { at, type Change, ended, factsOf, payment, seen, USDC } from '../../../test/support/intent-facts.js';
import { SITUATIONS } from '../../../test/support/verdict-situations.js';
import { explainIntent } from '../verdict/intent-verdict.js';
import { actionFor } from './intent-actions.js';
import { answersFor } from './intent-answers.js';

const OWN = { id: 'pi_01jd2v8w3q4r5s6t7v8w9x0y1z', reference: 'order-7' };

/** Words that name a part of the service, or what a payer must not learn. */
const INTERNAL =
  /listener|vault|suspense|quarantin|dead.?letter|operator|sanction|worker|ledger|relay|deposit|hot wallet|coffer/i;
const INTERNAL_TO_PAYERS = new RegExp(`${INTERNAL.source}|webhook|endpoint|intent|pocket|API|\\bour?\\s+id`, 'i');
const IDS = /\b(?:pi|mer|dep|dlv|we|evt|pkt|wd)_\w+/g;

const found = SITUATIONS.map(([code, what, change]) => {
  const facts = factsOf(change);
  const finding = explainIntent(facts).find((one) => one.code === code);
  if (finding === undefined) throw new Error(`Nothing says ${code} of ${what}.`);
  return { code, what, facts, finding };
});

describe('the answers of staff about an intent', () => {
  it.each(found)('say $code of $what without words of the service and ids of others', ({ facts, finding }) => {
    const { merchant, payer } = answersFor(OWN, facts, [finding]);
    expect(merchant).toMatch(
      /^Payment pi_\w+ \(your reference "order-7"\) for 25\.00 USD (?:is|has|has the status) [a-z_]+\. (?:[A-Z0-9]|payment_intent\.).{20,}\.$/,
    );
    expect(merchant.replace(/\bGET \/v1\/\S+|POST \/v1\/\S+/g, '')).not.toMatch(INTERNAL);
    expect(payer).toMatch(/^Your payment of 25\.00 USD: .{20,}\.$/);
    expect(payer).not.toMatch(INTERNAL_TO_PAYERS);
    expect(payer.match(IDS) ?? []).toEqual([]);
  });

  it('leave out a reference that the merchant did not give', () => {
    const [first] = found;
    if (first === undefined) throw new Error('There are no situations.');
    expect(answersFor({ ...OWN, reference: null }, first.facts, [first.finding]).merchant).toMatch(
      /^Payment pi_\w+ for/,
    );
  });
});

describe('the answer to a merchant about an underpayment', () => {
  const answerOf = (change: Change): string => {
    const facts = factsOf({ intent: ended('failed', { receivedUnits: 10n * USDC }), ...change });
    return answersFor(OWN, facts, explainIntent(facts)).merchant;
  };

  it.each<[where: string, change: Change, text: RegExp]>([
    ['in the pocket', { payments: [payment(10n * USDC)] }, / What arrived is in your pocket\. Return it/],
    [
      'partly on hold',
      { payments: [payment(10n * USDC), payment(1n, { status: 'on_hold' })] },
      / What arrived and is not on hold is in your pocket\. Return it/,
    ],
    [
      'not final',
      { payments: [payment(5n * USDC), seen(5n * USDC, 3)] },
      / is yours once the network has confirmed it, /,
    ],
  ])('says that the money is %s', (_where, change, text) => {
    expect(answerOf(change)).toMatch(text);
  });
});

describe('the answer about a payment that staff acknowledged', () => {
  const acknowledgement = { author: 'kim@example.com', note: 'The shop ships anyway.', at: at(70) };

  it.each<[code: string, change: Change, text: RegExp]>([
    [
      'underpaid_at_end',
      { intent: ended('failed', { receivedUnits: 10n * USDC }), payments: [payment(10n * USDC)] },
      / too little\. What arrived is in your pocket\. We have reviewed/,
    ],
    [
      'overpaid',
      {
        intent: ended('completed', { receivedUnits: 30n * USDC, overpaidCents: 500 }),
        payments: [payment(30n * USDC)],
      },
      / too much\. We have reviewed/,
    ],
    [
      'shortfall_accepted',
      { intent: ended('completed', { receivedUnits: 24_990_000n, acceptedShortfallCents: 1 }) },
      / is completed\. We have reviewed/,
    ],
  ])('does not ask for what is settled, nor quotes the note: %s', (code, change, text) => {
    const facts = factsOf({ ...change, acknowledgement });
    const findings = explainIntent(facts);
    expect(findings[0].code).toBe(code);
    const { merchant, payer } = answersFor(OWN, facts, findings);
    expect(merchant).toMatch(text);
    expect(merchant).toMatch(/closed the case\.$/);
    expect(`${merchant} ${payer}`).not.toMatch(/kim@example\.com|ships anyway/);
  });
});

describe('the action of staff about an intent', () => {
  it.each(found)('exists for $code of $what, and names what it is about', ({ facts, finding }) => {
    const action = actionFor(finding, facts);
    if (action.kind === 'resend') expect(action.deliveryIds.length).toBeGreaterThan(0);
    if (action.kind === 'open_deposit') expect(action.depositIds.length).toBeGreaterThan(0);
    if (action.kind === 'command') {
      expect(action.commands.length).toBeGreaterThan(0);
      for (const command of action.commands) expect(command).toMatch(/^npx coffer [a-z]+/);
    }
  });

  it('opens a disabled endpoint, since a delivery to it would be held', () => {
    const facts = factsOf({});
    const endpoint = { id: 'we_1', url: 'https://shop.example/', isEnabled: false };
    const delivery = {
      id: 'dlv_1',
      eventId: 'evt_1',
      eventType: 'payment_intent.completed',
      endpoint,
      status: 'dead_letter',
      attempts: 6,
      dueAt: facts.now,
      lastAttemptAt: facts.now,
      lastStatus: 500,
      lastErrorCode: null,
    } as const;
    const finding = { code: 'webhook_dead_lettered', sentence: '', nextAction: '' } as const;
    expect(actionFor({ ...finding, evidence: { deliveries: [delivery] } }, facts)).toEqual({
      kind: 'open_endpoint',
      endpointId: 'we_1',
    });
  });

  it('sends an event that no endpoint was owed to the one that subscribes to it now, if there is one', () => {
    const event = { id: 'evt_1', type: 'payment_intent.completed', createdAt: new Date(), isRelayed: true };
    const finding = {
      code: 'no_webhook_endpoint',
      sentence: '',
      nextAction: '',
      evidence: { events: [event] },
    } as const;
    const endpoint = { id: 'we_1', url: 'https://shop.example/', isEnabled: true };
    expect(actionFor(finding, factsOf({ endpoints: [endpoint] }))).toEqual({
      kind: 'send_missing',
      endpointId: 'we_1',
      eventId: 'evt_1',
    });
    expect(actionFor(finding, factsOf({})).kind).toBe('answer_merchant');
  });
});
