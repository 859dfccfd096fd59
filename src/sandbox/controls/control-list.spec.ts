import { type ControlFacts, controlsOf, type SandboxControlName } from './control-list.js';

const OPEN: ControlFacts = {
  status: 'requires_action',
  hasAddress: true,
  isPastDeadline: false,
  price: 100n,
  arrived: 0n,
  onTheWay: 0n,
  isPaymentOnTheWay: false,
  hasUnfinalPayment: false,
  noFaucet: null,
  noChain: null,
};

/** The amount of a control, or why it cannot be done. */
const of = (name: SandboxControlName, facts: Partial<ControlFacts> = {}) => {
  const control = controlsOf({ ...OPEN, ...facts }).find((one) => one.name === name);
  return control?.unavailable ?? control?.amount;
};

const possible = (facts: Partial<ControlFacts>): SandboxControlName[] =>
  controlsOf({ ...OPEN, ...facts })
    .filter(({ unavailable }) => unavailable === null)
    .map(({ name }) => name);

describe('the controls of an intent of the sandbox', () => {
  it('pay exactly, too little and too much of an open intent', () => {
    expect([of('exact'), of('under'), of('over'), of('late')]).toEqual([100n, 50n, 150n, 100n]);
  });

  it('count what has arrived, and what is on its way', () => {
    const facts = { arrived: 30n, onTheWay: 20n, isPaymentOnTheWay: true };
    expect([of('exact', facts), of('under', facts), of('over', facts)]).toEqual([50n, 25n, 100n]);
    expect(of('late', facts)).toBe('A payment is on its way. Wait until it arrives.');
    expect(of('exact', { arrived: 100n })).toBe(
      'The intent is already paid in full, or a payment for the rest is on its way.',
    );
    expect(of('over', { arrived: 100n })).toBe(50n);
  });

  it('pay late once an intent has ended or its deadline has passed', () => {
    expect(of('exact', { status: 'expired' })).toBe('The payment intent is expired, so a payment would be late.');
    expect(of('exact', { isPastDeadline: true })).toBe('The deadline has passed, so a payment would be late.');
    expect(of('late', { status: 'completed', arrived: 100n })).toBe(100n);
    expect(possible({ status: 'completed', arrived: 100n })).toEqual(['late', 'custom', 'mine']);
  });

  it('drop a payment by a reorg while one is not final', () => {
    expect(of('reorg')).toBe('A reorg can only drop a payment that is not final, and there is none.');
    expect(of('reorg', { hasUnfinalPayment: true })).toBeNull();
    expect(of('reorg', { isPaymentOnTheWay: true })).toBeNull();
    expect(of('reorg', { hasUnfinalPayment: true, noChain: 'Elsewhere.' })).toBe('Elsewhere.');
  });

  it('expire before an address, and pay only after it', () => {
    expect(possible({ hasAddress: false, price: null })).toEqual(['expire', 'mine']);
    expect(of('exact', { hasAddress: false, price: null })).toBe(
      'The payment intent has no address yet. Generate one with the API first.',
    );
  });

  it('do nothing to the chain of a public test network', () => {
    expect(possible({ noFaucet: 'No faucet.' })).toEqual(['expire']);
  });
});
