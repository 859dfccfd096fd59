import { AnvilNode } from '../../test/support/anvil-node.js';
import { FakeNode } from '../../test/support/fake-node.js';
import { ProbeContract } from '../../test/support/probe-contracts.js';
import { NATIVE_COIN } from '../domain/network.js';
import { ChainUnavailable } from './chain.js';
import { EvmChainClient } from './evm/evm-chain-client.js';
import { developmentProfile, type TokenProfile } from './networks.js';
import { verifyTokens } from './token-check.js';

const BNB = { network: 'bnb', finality: { minDepth: 3 } } as const;

const tokenAt = (contract: string): TokenProfile => ({
  symbol: 'USDC',
  contract,
  decimals: 18,
  minorUnitExponent: 2,
});

describe('verifyTokens', () => {
  let node: AnvilNode;
  let client: EvmChainClient;

  beforeAll(async () => {
    node = await AnvilNode.start();
    client = new EvmChainClient({ profile: BNB, rpcUrl: node.url });
  });

  afterAll(async () => {
    await client.close();
    await node.stop();
  });

  it('[E-60] accepts tokens whose contracts state the decimals of the catalogue', async () => {
    const { address } = await ProbeContract.deploy(node, 'ProbeToken', 18);
    const contracts = { USDC: address, USDT: address };
    const profile = developmentProfile({ network: 'bnb', chainId: '31337', contracts });
    await expect(verifyTokens(client, profile)).resolves.toEqual([]);
  });

  it('[E-60] reports a token with other decimals, one without code and one that is no token', async () => {
    const sixDecimals = tokenAt((await ProbeContract.deploy(node, 'ProbeToken', 6)).address);
    const noToken = tokenAt((await ProbeContract.deploy(node, 'NoToken')).address);
    const noCode = tokenAt(`0x${'77'.repeat(20)}`);
    await expect(verifyTokens(client, { tokens: [sixDecimals, noToken, noCode] })).resolves.toEqual([
      { token: sixDecimals, decimalsOnChain: 6 },
      { token: noToken, decimalsOnChain: null },
      { token: noCode, decimalsOnChain: null },
    ]);
  });

  it('[E-60] has nothing to compare for the chain’s own coin', async () => {
    await expect(verifyTokens(client, { tokens: [tokenAt(NATIVE_COIN)] })).resolves.toEqual([]);
  });

  it('[E-60] reports no mismatch when the node fails', async () => {
    const broken = await FakeNode.start();
    const asker = new EvmChainClient({ profile: BNB, rpcUrl: broken.url });
    await expect(verifyTokens(asker, { tokens: [tokenAt(`0x${'77'.repeat(20)}`)] })).rejects.toThrow(ChainUnavailable);
    await asker.close();
    await broken.stop();
  });
});
