import type { SentAction, SentBytes } from '../../chains/expiring-sent.js';
import { NATIVE_COIN } from '../../domain/network.js';
import { ownSent } from './own-sent.js';

const HOT = 'hot-wallet';

const sentBy = (sender: string, action: SentAction): SentBytes => ({
  txHash: 'aa',
  raw: 'bb',
  sender,
  fields: '{}',
  unitLimit: 1n,
  unitPrice: 1n,
  expiry: { after: { height: 1, hash: 'cc' }, until: 2 },
  action,
});
const paying = (recipient: string): SentAction => ({ kind: 'payment', token: NATIVE_COIN, recipient, amount: 5n });

describe('the bytes of a transaction of a hot wallet', () => {
  it('are taken as they are when the hot wallet sent them', () => {
    const bytes = sentBy(HOT, paying('customer'));
    expect(ownSent(bytes, HOT)).toBe(bytes);
  });

  it('are a sweep when another address pays the hot wallet', () => {
    expect(ownSent(sentBy('address', paying(HOT)), HOT)).toMatchObject({
      sender: 'address',
      action: { kind: 'sweep', items: [{ owner: 'address', token: NATIVE_COIN, amount: 5n, closesAccount: false }] },
    });
  });

  it.each<[what: string, action: SentAction]>([
    ['pays somebody else', paying('customer')],
    ['does something else', { kind: 'other' }],
    ['sweeps on its own account', { kind: 'sweep', items: [] }],
  ])('are refused when another address %s', (_what, action) => {
    expect(() => ownSent(sentBy('address', action), HOT)).toThrow('It was sent by address, not by the hot wallet.');
  });
});
