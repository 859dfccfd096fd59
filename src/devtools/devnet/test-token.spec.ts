import { Interface } from 'ethers';
import { z } from 'zod';
import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import type { EvmDevChain } from './evm-dev-chain.js';

const ERC20 = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function transfer(address to, uint256 value)',
  'function transferFrom(address from, address to, uint256 value)',
  'function approve(address spender, uint256 value)',
]);
const PAYEE = '0x00000000000000000000000000000000000000dd';
const RECEIPT = z.object({ logs: z.array(z.object({ topics: z.array(z.string()), data: z.string() })) });

let dir: DevChainDirectory;
let chain: EvmDevChain;
let controls: DevChainControls;

beforeAll(async () => {
  dir = await DevChainDirectory.create();
  chain = await dir.start('ethereum');
  controls = new DevChainControls(chain);
});
afterAll(() => dir.remove());

/** Returns the data of a call of the token by the faucet. */
function returned(symbol: string, method: string, ...args: readonly unknown[]): Promise<string> {
  const data = ERC20.encodeFunctionData(method, [...args]);
  const call = { from: chain.faucet.address, to: chain.tokens[symbol]?.address, data };
  return controls.ask(z.string(), 'eth_call', call, 'latest');
}

const TRUE = `0x${'1'.padStart(64, '0')}`;

describe('the USDT of a development chain', () => {
  it('returns nothing from transfer, transferFrom and approve, where USDC returns true', async () => {
    const { address } = chain.faucet;
    for (const [symbol, answer] of [
      ['USDT', '0x'],
      ['USDC', TRUE],
    ] as const) {
      expect(await returned(symbol, 'transfer', PAYEE, 1n)).toBe(answer);
      expect(await returned(symbol, 'approve', PAYEE, 1n)).toBe(answer);
      expect(await returned(symbol, 'transferFrom', address, PAYEE, 0n)).toBe(answer);
    }
  });

  it('emits the standard Transfer event, and moves the money', async () => {
    const { txHash, succeeded } = await controls.pay({ to: PAYEE, token: 'USDT', amount: 7n });
    expect(succeeded).toBe(true);
    const { logs } = await controls.ask(RECEIPT, 'eth_getTransactionReceipt', txHash);
    const [transfer] = logs.map((log) =>
      ERC20.parseLog(log)
        ?.args.toArray()
        .map((value) => String(value).toLowerCase()),
    );
    expect(transfer).toEqual([chain.faucet.address, PAYEE, '7']);
    expect(await controls.balance('USDT', PAYEE)).toBe(7n);
  });

  it('moves no more than a balance, and is minted only by its owner', async () => {
    const poor = await controls.newWallet();
    const { succeeded } = await controls.pay({ from: poor, to: PAYEE, token: 'USDT', amount: 1n });
    expect(succeeded).toBe(false);
    const mint = new Interface(['function mint(address to, uint256 value)']);
    const data = mint.encodeFunctionData('mint', [PAYEE, 1n]);
    const call = { from: chain.faucet.address, to: chain.tokens['USDT']?.address, data };
    await expect(controls.ask(z.string(), 'eth_call', call, 'latest')).rejects.toThrow('only the owner mints');
  });
});
