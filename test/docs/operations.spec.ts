import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { EVM_NETWORKS } from '../../src/domain/network.js';
import { expectedGasPrice } from '../../src/domain/network-fee.js';
import { TRANSFER_GAS } from '../../src/domain/transfer-gas.js';
import { hotWalletIndexOf } from '../../src/vault/evm/evm-derivation.js';
import { readDocument } from '../support/markdown.js';

const root = new URL('../../', import.meta.url);
/** Without line breaks. */
const operations = readDocument('docs/operations.md').replaceAll(/\s+/g, ' ');
const GWEI = 10n ** 9n;

/** The first group of the pattern in the document. */
const said = (pattern: RegExp): string | undefined => pattern.exec(operations)?.[1];

/** A message in backticks: a capital, some words and a full stop. */
const SENTENCE = /`([A-Z][^`\n]* [^`\n]*[^`\n.]\.)`/g;

it('quotes only messages in docs/operations.md that the sources have', async () => {
  const sources: string[] = [];
  for await (const path of glob('src/**/*.ts', { cwd: root })) {
    if (!path.endsWith('.spec.ts')) sources.push(readFileSync(new URL(path, root), 'utf8'));
  }
  const quoted = [...readDocument('docs/operations.md').matchAll(SENTENCE)].map(([, sentence = '']) => sentence);
  expect(quoted.length).toBeGreaterThan(10);
  expect(quoted.filter((sentence) => !sources.some((source) => source.includes(sentence)))).toEqual([]);
});

it('names the indexes of the hot wallets in docs/operations.md', () => {
  const wallets = EVM_NETWORKS.map((network) => `${hotWalletIndexOf(network)} ${network}`).join(', ');
  expect(said(/\/<n>` for the hot wallets \(([^)]*)\)/)).toBe(wallets);
});

it('names the most that is signed for one gas in docs/operations.md', () => {
  const boundless = { baseFee: 10n ** 30n, tipStandard: 1n, tipFast: 1n };
  const caps = EVM_NETWORKS.map((network, index) => {
    const gwei = (expectedGasPrice(network, boundless) / GWEI).toLocaleString('en');
    return `${gwei}${index === 0 ? ' gwei' : ''} on ${network}`;
  });
  expect(said(/up to a cap for each network \(([^)]*)\)/)).toBe(caps.join(', '));
});

it('names the gas of a payment in a coin in docs/operations.md', () => {
  const { limit } = TRANSFER_GAS.coin;
  const [carried, left] = [limit, limit - 21_000n].map((gas) => gas.toLocaleString('en'));
  expect(said(/A payment in the network's own coin (carries [^.]*)\./)).toBe(
    `carries ${carried} gas, of which its destination has ${left}`,
  );
});
