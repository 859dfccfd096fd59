import { AnvilNode } from '../../../test/support/anvil-node.js';
import { ProbeContract } from '../../../test/support/probe-contracts.js';
import { EvmChainClient } from './evm-chain-client.js';

const STRANGER = `0x${'d4'.repeat(20)}`;

let node: AnvilNode;
let client: EvmChainClient;

beforeAll(async () => {
  node = await AnvilNode.start();
  client = new EvmChainClient({ profile: { network: 'polygon', finality: { minDepth: 3 } }, rpcUrl: node.url });
});
afterAll(async () => {
  await client.close();
  await node.stop();
});

it.each(['CircleToken', 'TetherToken', 'BlockingToken'] as const)(
  '[G-99] reports the addresses that the issuer of a %s has frozen',
  async (kind) => {
    const token = await ProbeContract.deploy(node, kind);
    const isFrozen = (holder: string): Promise<boolean> => client.outgoing.isFrozenByIssuer(token.address, holder);
    expect(await isFrozen(STRANGER)).toBe(false);
    await token.send('freeze', STRANGER, true);
    expect([await isFrozen(STRANGER), await isFrozen(`0x${'d5'.repeat(20)}`)]).toEqual([true, false]);
    await token.send('freeze', STRANGER, false);
    expect(await isFrozen(STRANGER)).toBe(false);
  },
);

it('[G-99] reports no freeze for a token without a black list, or for an address without a token', async () => {
  const token = await ProbeContract.deploy(node, 'ProbeToken', 6);
  expect(await client.outgoing.isFrozenByIssuer(token.address, STRANGER)).toBe(false);
  expect(await client.outgoing.isFrozenByIssuer(STRANGER, STRANGER)).toBe(false);
});
