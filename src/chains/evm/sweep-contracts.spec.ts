import { delegateIn, deploymentCall, deploymentState, sweepContracts } from './sweep-contracts.js';

const TREASURY = `0x${'11'.repeat(20)}`;

describe('the contracts of a treasury', () => {
  // A change of a contract, the compiler or the salt gives every deposit address another delegate, and leaves open
  // sweeps without a replacement: the notes of such a version must say "drain sweeps before upgrading".
  it('have their published addresses', () => {
    const { delegate, batch } = sweepContracts(TREASURY);
    expect([delegate.address, batch.address]).toEqual([
      '0x6e6712a8e19450a6672a1e57a70d1cd5495d39fa',
      '0xec1f3867cfb7d86a770642722ee8072445773dea',
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
    ['a delegation', `0xef0100${'11'.repeat(20)}`, TREASURY],
    ['a delegation, in capitals', `0xEF0100${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    ['nothing', '0x', null],
    ['a contract', '0x6080604052', null],
    ['more than a delegation', `0xef0100${'11'.repeat(20)}00`, null],
  ])('that is %s names its delegate', (_name, code, delegate) => {
    expect(delegateIn(code)).toBe(delegate);
  });
});
