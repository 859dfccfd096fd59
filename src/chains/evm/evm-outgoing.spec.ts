import { keccak256, Wallet } from 'ethers';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { eventually } from '../../../test/support/eventually.js';
import { anEvmTransaction } from '../../../test/support/evm-transactions.js';
import { FakeNode, honestly } from '../../../test/support/fake-node.js';
import { ProbeContract } from '../../../test/support/probe-contracts.js';
import { testTokensOn } from '../../../test/support/served-chains.js';
import { rpcTransaction } from '../../../test/support/rpc-transaction.js';
import { devAccount } from '../../devtools/devnet/dev-accounts.js';
import { TEST_TOKEN } from '../../devtools/devnet/test-token.js';
import { type BlockRef, ChainUnavailable } from '../chain.js';
import { EvmChainClient } from './evm-chain-client.js';

const CHAIN_ID = 31_337;
const POLYGON = { network: 'polygon', finality: { minDepth: 3 } } as const;
const STRANGER = `0x${'d4'.repeat(20)}`;
const GWEI = 10n ** 9n;
const hash = (byte: string): string => `0x${byte.repeat(32)}`;

describe('paying on a real node', () => {
  const payer = new Wallet(devAccount('faucet').privateKey);
  const { address } = devAccount('faucet');
  let node: AnvilNode;
  let client: EvmChainClient;

  beforeAll(async () => {
    node = await AnvilNode.start({ chainId: CHAIN_ID });
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
  });
  afterAll(async () => {
    await client.close();
    await node.stop();
  });

  const head = async (): Promise<BlockRef> => client.head();
  const sign = async (call: { to: string; data?: string; value?: bigint }, tip = GWEI): Promise<string> =>
    payer.signTransaction({
      type: 2,
      chainId: CHAIN_ID,
      nonce: await client.outgoing.nonceAt(await head(), address),
      gasLimit: 200_000n,
      maxFeePerGas: 10n * GWEI,
      maxPriorityFeePerGas: tip,
      ...call,
    });
  /** Signs a call, has it mined and returns its hash. */
  const pay = async (call: { to: string; data?: string; value?: bigint }, tip?: bigint): Promise<string> => {
    const raw = await sign(call, tip);
    await expect(client.outgoing.broadcast(raw)).resolves.toEqual({ accepted: true });
    await node.mine();
    return keccak256(raw);
  };

  it('[I-109] sends the same bytes again and again, and draws no conclusion from the answers of the node', async () => {
    await node.send('evm_setAutomine', false);
    const raw = await sign({ to: STRANGER, value: 5n });
    const txHash = keccak256(raw);
    await expect(client.outgoing.isKnown(txHash)).resolves.toBe(false);
    await expect(client.outgoing.broadcast(raw)).resolves.toEqual({ accepted: true });
    await expect(client.outgoing.isKnown(txHash)).resolves.toBe(true);
    const again = await client.outgoing.broadcast(raw);
    expect(again).toEqual({ accepted: false, message: expect.stringMatching(/already/) });
    await expect(client.outgoing.receiptsOf([txHash])).resolves.toEqual([null]);
    await node.mine();
    await node.send('evm_setAutomine', true);
    const late = await client.outgoing.broadcast(raw);
    expect(late).toEqual({ accepted: false, message: expect.stringMatching(/nonce too low/) });
    await expect(client.outgoing.isKnown(txHash)).resolves.toBe(true);
    await expect(client.outgoing.receiptsOf([txHash])).resolves.toMatchObject([{ succeeded: true }]);
  });

  it('[F-69] returns a receipt or null, in the given order', async () => {
    const txHash = await pay({ to: STRANGER, value: 5n }, 2n * GWEI);
    const [unknown, receipt] = await client.outgoing.receiptsOf([hash('77'), txHash]);
    expect(unknown).toBeNull();
    const block = await client.headerAt(receipt?.height ?? 0);
    expect(receipt).toEqual({
      txHash,
      blockHash: block?.hash,
      height: block?.height,
      succeeded: true,
      gasUsed: 21_000n,
      effectiveGasPrice: expect.any(BigInt),
      logs: [],
    });
    expect(receipt?.effectiveGasPrice).toBeGreaterThanOrEqual(2n * GWEI);
    await expect(client.outgoing.receiptsOf([])).resolves.toEqual([]);
  });

  it('[I-116] distinguishes a reverted transaction from a successful one, and reads its cost', async () => {
    const probe = await ProbeContract.deploy(node, 'ProbeToken', 6);
    const { data = '' } = probe.order('transferAndRevert', STRANGER, 5n);
    const [receipt] = await client.outgoing.receiptsOf([await pay({ to: probe.address, data })]);
    expect(receipt).toMatchObject({ succeeded: false });
    expect(receipt?.gasUsed).toBeGreaterThan(21_000n);
  });

  it('[I-113] counts the transactions of an address at a block, and separately with those in the pool', async () => {
    const before = await head();
    const nonce = await client.outgoing.nonceAt(before, address);
    await node.send('evm_setAutomine', false);
    await client.outgoing.broadcast(await sign({ to: STRANGER, value: 5n }));
    await expect(client.outgoing.nonceAt(await head(), address)).resolves.toBe(nonce);
    await expect(client.outgoing.pendingNonce(address)).resolves.toBe(nonce + 1);
    await node.mine();
    await node.send('evm_setAutomine', true);
    await expect(client.outgoing.nonceAt(await head(), address)).resolves.toBe(nonce + 1);
    await expect(client.outgoing.nonceAt(before, address)).resolves.toBe(nonce);
    const unknown = { height: before.height, hash: hash('77') };
    await expect(client.outgoing.nonceAt(unknown, address)).rejects.toThrow(ChainUnavailable);
  });

  it('[H-106] returns the exact bytes of a transaction, delegations included', async () => {
    const chainId = BigInt(CHAIN_ID);
    const deposit = new Wallet(devAccount('rival').privateKey);
    for (const type of [2, 4] as const) {
      const nonce = await client.outgoing.nonceAt(await head(), address);
      const authorizations = [await deposit.authorize({ address: STRANGER, chainId, nonce: 0 })];
      const raw = await payer.signTransaction({
        ...anEvmTransaction({ chainId, nonce, to: STRANGER, gasLimit: 200_000n }),
        type,
        ...(type === 4 && { authorizationList: authorizations }),
      });
      await client.outgoing.broadcast(raw);
      const expected = { txHash: keccak256(raw), raw };
      await expect(client.outgoing.transaction(keccak256(raw))).resolves.toEqual(expected);
      await node.mine();
      await expect(client.outgoing.transaction(keccak256(raw))).resolves.toEqual(expected);
    }
    await expect(client.outgoing.transaction(hash('77'))).resolves.toBeNull();
  });

  it('reads the balance of several tokens as it was after a block', async () => {
    const contracts = await testTokensOn(node, [6, 18]);
    const before = await head();
    await pay({ to: contracts[0] ?? '', data: TEST_TOKEN.encodeFunctionData('transfer', [STRANGER, 7n]) });
    const read = (block: BlockRef) => client.outgoing.tokenBalancesAt(block, contracts, STRANGER);
    await expect(read(before)).resolves.toEqual([0n, 0n]);
    await expect(read(await head())).resolves.toEqual([7n, 0n]);
    await expect(read({ height: before.height, hash: hash('77') })).rejects.toThrow(ChainUnavailable);
    const notAToken = client.outgoing.tokenBalancesAt(before, [STRANGER], address);
    await expect(notAToken).rejects.toThrow('malformed token balance');
  });

  it('reads what gas cost in the last blocks, and the base fee of the next', async () => {
    await pay({ to: STRANGER, value: 5n }, 3n * GWEI);
    const { nextBaseFee, tips } = await client.outgoing.feeHistory();
    expect(tips.at(-2)).toEqual({ median: 3n * GWEI, high: 3n * GWEI });
    await node.mine(20);
    // Anvil writes its history behind its blocks.
    const idle = await eventually(
      async () => {
        const history = await client.outgoing.feeHistory();
        return history;
      },
      (history) => history.tips.length === 20,
    );
    expect(idle.nextBaseFee).toBeGreaterThan(0n);
    expect(idle.nextBaseFee).toBeLessThan(nextBaseFee);
  });
});

describe('paying through a node that lies', () => {
  const BLOCK = { height: 100, hash: hash('01') };
  const TX = hash('0a');
  const RAW = '0x02c0';
  const RECEIPT = {
    transactionHash: TX,
    blockHash: BLOCK.hash,
    blockNumber: '0x64',
    status: '0x1',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca00',
    logs: [],
  };
  const HISTORY = { oldestBlock: '0x1', baseFeePerGas: ['0x7', '0x8'], gasUsedRatio: [0], reward: [['0x1', '0x2']] };
  let node: FakeNode;
  let client: EvmChainClient;

  beforeEach(async () => {
    node = await FakeNode.start();
    client = new EvmChainClient({ profile: POLYGON, rpcUrl: node.url });
  });
  afterEach(async () => {
    await client.close();
    await node.stop();
  });

  const answering = (method: string, answer: unknown) => {
    node.methods = { [method]: () => answer };
    return client.outgoing;
  };

  it('reads the answers of an honest one', async () => {
    const history = { nextBaseFee: 8n, tips: [{ median: 1n, high: 2n }] };
    await expect(answering('eth_feeHistory', HISTORY).feeHistory()).resolves.toEqual(history);
    expect(node.requests[0]?.questions[0]?.params).toEqual(['0x14', 'latest', [50, 90]]);
    await expect(answering('eth_getTransactionReceipt', RECEIPT).receiptsOf([TX])).resolves.toEqual([
      {
        txHash: TX,
        blockHash: BLOCK.hash,
        height: 100,
        succeeded: true,
        gasUsed: 21_000n,
        effectiveGasPrice: GWEI,
        logs: [],
      },
    ]);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no base fees', { ...HISTORY, baseFeePerGas: [] }],
    ['the base fee of the next block missing', { ...HISTORY, baseFeePerGas: ['0x7'] }],
    ['no tips', { ...HISTORY, reward: null }],
    ['one tip per block', { ...HISTORY, reward: [['0x1']] }],
    ['a percentile below a lower one', { ...HISTORY, reward: [['0x2', '0x1']] }],
    ['decimal fees', { ...HISTORY, baseFeePerGas: [7, 8] }],
    ['a negative fee', { ...HISTORY, baseFeePerGas: ['0x7', '-0x8'] }],
  ])('rejects a fee history with %s', async (_name, answer) => {
    await expect(answering('eth_feeHistory', answer).feeHistory()).rejects.toThrow(ChainUnavailable);
  });

  it.each<[string, object]>([
    ['of another transaction', { transactionHash: hash('0b') }],
    ['without an outcome', { status: null }],
    ['with an unknown outcome', { status: '0x2' }],
    ['that is in no block yet', { blockHash: null, blockNumber: null }],
    ['without its height', { blockNumber: undefined }],
    ['without the gas', { gasUsed: undefined }],
    ['without the price', { effectiveGasPrice: '21000' }],
  ])('[F-69] takes a receipt %s for no answer, not for a failure', async (_name, change) => {
    const outgoing = answering('eth_getTransactionReceipt', { ...RECEIPT, ...change });
    await expect(outgoing.receiptsOf([TX])).rejects.toThrow(ChainUnavailable);
  });

  it('[I-110] rejects a batch of receipts that leaves one out', async () => {
    const outgoing = answering('eth_getTransactionReceipt', null);
    node.speak = (answers, isBatch) => honestly(answers.slice(0, 1), isBatch);
    await expect(outgoing.receiptsOf([TX, hash('0b')])).rejects.toThrow(ChainUnavailable);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['decimal', 7],
    ['beyond the safe integers', '0x20000000000000'],
  ])('rejects a nonce that is %s', async (_name, answer) => {
    const outgoing = answering('eth_getTransactionCount', answer);
    await expect(outgoing.nonceAt(BLOCK, STRANGER)).rejects.toThrow(ChainUnavailable);
    expect(node.requests[0]?.questions[0]?.params).toEqual([STRANGER, { blockHash: BLOCK.hash }]);
  });

  it('rejects another transaction than the requested one', async () => {
    const outgoing = answering('eth_getTransactionByHash', { hash: hash('0b') });
    await expect(outgoing.isKnown(TX)).rejects.toThrow(ChainUnavailable);
  });

  it.each<[string, object]>([
    ['that pays another amount than it hashes to', { value: '0x6' }],
    ['that somebody else signed', { r: '0x1' }],
    ['without its signature', { r: null }],
    ['without fees', { maxFeePerGas: undefined }],
    ['of which the receiver is no address', { to: '0x1' }],
  ])('[H-106] takes a transaction %s for no answer', async (_name, change) => {
    const raw = await new Wallet(devAccount('faucet').privateKey).signTransaction(anEvmTransaction());
    const outgoing = answering('eth_getTransactionByHash', { ...rpcTransaction(raw), ...change });
    await expect(outgoing.transaction(keccak256(raw))).rejects.toThrow(ChainUnavailable);
  });

  it('reports a transaction of an unsupported type without its bytes', async () => {
    const outgoing = answering('eth_getTransactionByHash', { hash: TX, type: '0x3' });
    await expect(outgoing.transaction(TX)).resolves.toEqual({ txHash: TX, raw: null });
    await expect(answering('eth_getTransactionByHash', null).transaction(TX)).resolves.toBeNull();
  });

  it('[I-109] returns a refusal as such, and is unavailable for everything else', async () => {
    const outgoing = answering('eth_sendRawTransaction', keccak256(RAW));
    await expect(outgoing.broadcast(RAW)).resolves.toEqual({ accepted: true });
    node.methods = {
      eth_sendRawTransaction: () => {
        throw new Error('replacement transaction underpriced');
      },
    };
    const refused = { accepted: false, message: expect.stringContaining('underpriced') };
    await expect(outgoing.broadcast(RAW)).resolves.toEqual(refused);
    for (const answer of [null, '0x', hash('0b')]) {
      await expect(answering('eth_sendRawTransaction', answer).broadcast(RAW)).rejects.toThrow(ChainUnavailable);
    }
    node.speak = () => 'hang up';
    await expect(outgoing.broadcast(RAW)).rejects.toThrow(ChainUnavailable);
  });
});
