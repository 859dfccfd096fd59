import fc from 'fast-check';
import { Interface } from 'ethers';
import { NATIVE_COIN } from '../../domain/network.js';
import { readTransferCall, transferCall } from './transfer-call.js';

const ERC20 = new Interface(['function transfer(address to, uint256 amount)']);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n });

describe('the call of a transfer', () => {
  it('is the one that every token contract understands', () => {
    fc.assert(
      fc.property(address, address, amount, (token, recipient, units) => {
        const call = transferCall({ token, recipient, amount: units });
        expect(call).toEqual({ to: token, value: 0n, data: ERC20.encodeFunctionData('transfer', [recipient, units]) });
      }),
    );
  });

  it("sends the chain's own coin as the value of the transaction", () => {
    expect(transferCall({ token: NATIVE_COIN, recipient: '0xab', amount: 5n })).toEqual({
      to: '0xab',
      value: 5n,
      data: '0x',
    });
  });

  it('is read back as what it transfers', () => {
    fc.assert(
      fc.property(fc.oneof(address, fc.constant(NATIVE_COIN)), address, amount, (token, recipient, units) => {
        const transfer = { token, recipient, amount: units };
        expect(readTransferCall(transferCall(transfer))).toEqual(transfer);
      }),
    );
  });

  const [token, recipient] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
  const { data } = transferCall({ token, recipient, amount: 7n });
  it.each([
    ['approves instead of transferring', { to: token, value: 0n, data: data.replace('a9059cbb', '095ea7b3') }],
    ['carries a byte more', { to: token, value: 0n, data: `${data}00` }],
    ['has dirt above the address', { to: token, value: 0n, data: data.replace('a9059cbb0', 'a9059cbb1') }],
    ['sends coins along with the tokens', { to: token, value: 1n, data }],
    ['is a selector and nothing else', { to: token, value: 0n, data: '0xa9059cbb' }],
  ])('is no transfer when it %s', (_what, call) => {
    expect(readTransferCall(call)).toBeNull();
  });
});
