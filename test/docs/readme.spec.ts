import { coinOf, developmentProfile, NETWORK_PROFILES, networkProfile } from '../../src/chains/networks.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { devNetworkPlan } from '../../src/devtools/devnet/dev-networks.js';
import { devMintAddresses } from '../../src/devtools/devnet/solana/genesis.js';
import { INTENT_STATUSES, INTENT_TRANSITIONS } from '../../src/domain/intent-state.js';
import { formatUnits } from '../../src/domain/money.js';
import { isEvmNetwork, NETWORKS, type Network } from '../../src/domain/network.js';
import { TRANSFER_GAS } from '../../src/domain/transfer-gas.js';
import { FAILURE_CODES, WITHDRAWAL_STATUSES } from '../../src/domain/withdrawal.js';
import { CONFIG_VARIABLES, PRICE_SOURCE_NAMES } from '../../src/platform/config.js';
import { readDocument, tableUnder } from '../support/markdown.js';

const readme = readDocument('README.md');
const TESTNETS: Readonly<Record<Network, string>> = {
  ethereum: 'Sepolia',
  polygon: 'Amoy',
  bnb: 'BNB testnet',
  solana: 'devnet',
  tron: 'Nile',
};
/** Symbols of the tokens that the development chain of a network has. */
function testTokens(network: Network): readonly string[] {
  if (isEvmNetwork(network)) return devNetworkPlan(network).tokens.map(({ symbol }) => symbol);
  return network === 'tron' ? ['USDC', 'USDT'] : Object.keys(devMintAddresses());
}

describe('README.md', () => {
  it('explains exactly the variables that the configuration reads', () => {
    const explained = tableUnder(readme, 'Configuration').map(([name = '']) => name);
    expect(explained.toSorted()).toEqual([...CONFIG_VARIABLES].toSorted());
  });

  it('names every source of prices that the configuration takes', () => {
    const row = tableUnder(readme, 'Configuration').find(([name]) => name === 'PRICE_SOURCES');
    expect(row?.[2]).toContain(`comma list of ${PRICE_SOURCE_NAMES.join(', ')}:`);
  });

  it('lists the tokens of every network as the catalogue offers them, live and in both sandboxes', () => {
    const offered = NETWORKS.flatMap((network) => {
      const onTestnet = networkProfile('sandbox', network)?.tokens ?? [];
      const simulated = [...testTokens(network), coinOf(network).symbol];
      return (networkProfile('live', network)?.tokens ?? []).map(({ symbol, decimals, minorUnitExponent }) => [
        network,
        symbol,
        String(decimals),
        formatUnits(1n, minorUnitExponent),
        [
          ...(onTestnet.some((token) => token.symbol === symbol) ? [TESTNETS[network]] : []),
          ...(simulated.includes(symbol) ? ['development chain'] : []),
        ].join(', '),
      ]);
    });
    expect(tableUnder(readme, 'Networks and tokens')).toEqual(offered);
    // Only the networks that the table has.
    expect(NETWORK_PROFILES.map(({ network }) => network)).toEqual([...NETWORKS, ...NETWORKS]);
  });

  it('explains when a payment is final as the catalogue does', () => {
    const rules = NETWORKS.map((network) => {
      const live = networkProfile('live', network);
      const { finality, usualFinalityDepth } = developmentProfile({ network, chainId: '1', contracts: {} });
      if (live === null) throw new Error(`${network} is not offered.`);
      return [
        network,
        live.usualFinalityDepth > live.finality.minDepth
          ? "the node's finalized tag"
          : `the tag, and ${live.finality.minDepth} blocks on top`,
        finality.minDepth === 0
          ? `the tag, ${usualFinalityDepth} blocks below the head`
          : `the tag, and ${finality.minDepth} blocks on top`,
      ];
    });
    expect(tableUnder(readme, 'Payment and finality')).toEqual(rules);
  });

  it('names the gas that a payment carries', () => {
    const text = readme.replaceAll(/\s+/g, ' ');
    const [coin, token] = [TRANSFER_GAS.coin.limit, TRANSFER_GAS.token.limit].map((gas) => gas.toLocaleString('en'));
    expect(/with the gas that it will carry: ([^.]*)\./.exec(text)?.[1]).toBe(
      `${coin} in the network's own coin, ${token} in a token`,
    );
  });

  it('shows exactly the transitions of a payment intent', () => {
    const shown = tableUnder(readme, 'Payment intent').map(([from, to]) => `${from} -> ${to}`);
    const legal = INTENT_STATUSES.flatMap((from) => {
      const targets = INTENT_TRANSITIONS[from];
      return targets.length === 0 ? [`${from} -> none`] : targets.map((to) => `${from} -> ${to}`);
    });
    expect(shown.toSorted()).toEqual(legal.toSorted());
  });

  it('shows exactly the statuses of a withdrawal, and that both ends are ends', () => {
    const shown = tableUnder(readme, 'Withdrawal').map(([from, to]) => `${from} -> ${to}`);
    const [first, ...ends] = WITHDRAWAL_STATUSES;
    expect(shown).toEqual([
      `(creation) -> ${first}`,
      ...ends.map((end) => `${first} -> ${end}`),
      ...ends.map((end) => `${end} -> none`),
    ]);
  });

  it('explains each failure of a withdrawal', () => {
    expect(tableUnder(readme, 'Failed withdrawals').map(([code]) => code)).toEqual(FAILURE_CODES);
  });

  it('lists every command, with its own summary', () => {
    const listed = tableUnder(readme, 'Commands').map(([command, summary = '']) =>
      `${command}: ${summary}`.toLowerCase(),
    );
    expect(listed).toEqual(COMMANDS.map(({ name, summary }) => `coffer ${name}: ${summary}`.toLowerCase()));
  });
});
