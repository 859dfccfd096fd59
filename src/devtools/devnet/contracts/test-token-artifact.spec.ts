import { readFileSync } from 'node:fs';
import { artifactText, compileContract, CONTRACTS } from '../../../../scripts/compile-contracts.js';

describe('committed contract artifacts', () => {
  it.each(CONTRACTS)('%s is the output of its source', (path) => {
    const committed = readFileSync(new URL(`../../../../${path}.json`, import.meta.url), 'utf8');
    expect(committed).toBe(artifactText(compileContract(path)));
  });
});
