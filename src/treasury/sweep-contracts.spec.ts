import { delegateIn, delegationCode, deploymentCall, deploymentState, sweepContracts } from './sweep-contracts.js';

const TREASURY = `0x${'11'.repeat(20)}`;

describe('the contracts of a treasury', () => {
  // Whoever changes a contract, the compiler or the salt gives every deposit address another delegate to move to.
  it('have the addresses that they are known by', () => {
    const { delegate, batch } = sweepContracts(TREASURY);
    expect([delegate.address, batch.address]).toEqual([
      '0xcc59301a1d79057da3fdf2d9876650244bffbd4d',
      '0x0fc0a5e45f361f6bd174ac7cc8e6d63714eb60e1',
    ]);
  });

  it('are others for another treasury', () => {
    const [one, other] = [sweepContracts(TREASURY), sweepContracts(`0x${'22'.repeat(20)}`)];
    for (const name of ['delegate', 'batch'] as const) {
      expect(one[name].address).not.toBe(other[name].address);
      expect(one[name].codeHash).not.toBe(other[name].codeHash);
      expect(deploymentCall(one[name]).data).not.toBe(deploymentCall(other[name]).data);
    }
  });

  it('are recognised by their code alone', () => {
    const { delegate } = sweepContracts(TREASURY);
    expect(deploymentState(delegate, '0x')).toBe('absent');
    expect(deploymentState(delegate, '0x6000')).toBe('foreign');
  });
});

describe('the code of an address', () => {
  it.each([
    ['a delegation', delegationCode(TREASURY), TREASURY],
    ['a delegation, in capitals', `0xEF0100${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    ['nothing', '0x', null],
    ['a contract', '0x6080604052', null],
    ['more than a delegation', `${delegationCode(TREASURY)}00`, null],
  ])('that is %s names whom it delegates to', (_name, code, delegate) => {
    expect(delegateIn(code)).toBe(delegate);
  });
});
