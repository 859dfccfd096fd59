import { readFileSync } from 'node:fs';
import { artifactText, compileContract, CONTRACTS } from '../../../../scripts/compile-contracts.js';

describe('committed contract artifacts', () => {
  it.each(CONTRACTS)('%s is what its source compiles to', (path) => {
    const committed = readFileSync(new URL(`../../../../${path}.json`, import.meta.url), 'utf8');
    expect(committed).toBe(artifactText(compileContract(path)));
  });
});
