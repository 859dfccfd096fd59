import { readFileSync } from 'node:fs';
import { type Authorization, id, Interface, Wallet, type TransactionLike } from 'ethers';
import { z } from 'zod';
import { readReceipt } from '../../src/chains/evm/rpc-values.js';
import type { LogEntry } from '../../src/chains/log-entry.js';
import { NATIVE_COIN } from '../../src/domain/network.js';
import { sweepGasLimit } from '../../src/domain/sweep-gas.js';
import { sweepCalldata, type SweepItem } from '../../src/chains/evm/sweep-call.js';
import {
  delegateIn,
  deploymentCall,
  type SweepContracts,
  sweepContracts,
} from '../../src/chains/evm/sweep-contracts.js';
import { sweepOutcome } from '../../src/treasury/sweeps/sweep-outcome.js';
import { AnvilNode } from './anvil-node.js';
import { type OddContract, oddContract } from './odd-tokens.js';

const CHAIN_ID = 31_337n;
/** What a deposit of the lab brings, in smallest units of its token. */
export const DEPOSITED = 5_000_000n;
const FEES = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n };
const RICH = `0x${(10n ** 24n).toString(16)}`;
const HEX = z.string().transform(BigInt);
const ARTIFACT = z.object({ abi: z.array(z.record(z.string(), z.unknown())), bytecode: z.string() });
const RECEIPT = z.object({ gasUsed: HEX, contractAddress: z.string().nullish() });

/** What a mined transaction did. */
export interface Done {
  readonly succeeded: boolean;
  readonly gasUsed: bigint;
  readonly logs: readonly LogEntry[];
  readonly contractAddress: string;
}

/** A token of the lab, in lower case, with its calls. */
export interface LabToken {
  readonly address: string;
  readonly codec: Interface;
}

interface SweepOptions {
  /** By default the treasury, as in the service: in a transaction of anybody else nothing is swept. */
  readonly sender?: Wallet;
  /** Who must sign an authorization; by default every deposit address that does not delegate to the lab's delegate. */
  readonly authorizations?: readonly Authorization[];
  readonly gasLimit?: bigint;
}

/** A chain with a treasury's contracts on it, and keys that any test may use: there is no vault here. */
export class SweepLab {
  private deposits = 0;

  private constructor(
    readonly node: AnvilNode,
    readonly treasury: Wallet,
    readonly contracts: SweepContracts,
  ) {}

  static async start(): Promise<SweepLab> {
    const treasury = walletOf('treasury');
    const lab = new SweepLab(await AnvilNode.start(), treasury, sweepContracts(treasury.address));
    await lab.provide(lab.contracts);
    return lab;
  }

  /** Deploys contracts as the service does. */
  async provide(contracts: SweepContracts): Promise<void> {
    for (const contract of [contracts.delegate, contracts.batch]) {
      const { succeeded } = await this.send(walletOf('deployer'), deploymentCall(contract));
      if (!succeeded) throw new Error('A sweep contract was not deployed.');
    }
  }

  /** Signs a transaction with a key, sends it, and waits for its receipt. */
  async send(sender: Wallet, fields: TransactionLike): Promise<Done> {
    await this.node.send('anvil_setBalance', sender.address, RICH);
    const order = { type: 2, chainId: CHAIN_ID, gasLimit: 500_000n, ...FEES, ...fields };
    const raw = await sender.signTransaction({ ...order, nonce: await this.nonceOf(sender.address) });
    const answer = await this.node.ask(z.unknown(), 'eth_sendRawTransactionSync', raw);
    const { gasUsed, contractAddress } = RECEIPT.parse(answer);
    const { succeeded, logs } = readReceipt(answer);
    return { succeeded, gasUsed, logs, contractAddress: contractAddress?.toLowerCase() ?? '' };
  }

  /** Sweeps as the service would; returns the amounts of its logs per item. */
  async sweep(items: readonly SweepItem[], options: SweepOptions = {}): Promise<Done & { amounts: bigint[] }> {
    const { contracts, treasury } = this;
    const authorizations = options.authorizations ?? (await this.missingAuthorizations(items));
    const tokens = new Set(items.map(({ tokenContract }) => tokenContract)).size;
    const size = { items: items.length, tokens, authorizations: authorizations.length };
    const done = await this.send(options.sender ?? treasury, {
      to: contracts.batch.address,
      data: sweepCalldata(items),
      gasLimit: options.gasLimit ?? sweepGasLimit(size),
      // A chain refuses type 4 with an empty list.
      ...(authorizations.length > 0 && { type: 4, authorizationList: [...authorizations] }),
    });
    const amounts = sweepOutcome(items, done.logs, treasury.address).map(({ amount }) => amount);
    return { ...done, amounts };
  }

  /** What an address signs to delegate; by default to the lab's delegate, with its own next nonce. */
  async authorize(wallet: Wallet, delegate = this.contracts.delegate.address, nonce?: number): Promise<Authorization> {
    const ownNonce = nonce ?? (await this.nonceOf(wallet.address));
    return wallet.authorize({ chainId: CHAIN_ID, address: delegate, nonce: ownNonce });
  }

  async deploy(name: Parameters<typeof oddContract>[0], ...args: readonly unknown[]): Promise<LabToken> {
    return this.deployed(oddContract(name), args);
  }

  /** One of the development chains' own tokens. */
  async deployTestToken(contract: 'TestToken' | 'TestTether'): Promise<LabToken> {
    const path = new URL(`../../src/devtools/devnet/contracts/${contract}.json`, import.meta.url);
    const { abi, bytecode } = ARTIFACT.parse(JSON.parse(readFileSync(path, 'utf8')));
    const artifact = { bytecode, codec: new Interface(JSON.stringify(abi)) };
    return this.deployed(artifact, ['Token', 'TKN', 6, walletOf('deployer').address]);
  }

  async mint(token: LabToken, to: string, value: bigint): Promise<void> {
    const { succeeded } = await this.call(walletOf('deployer'), token, 'mint', to, value);
    if (!succeeded) throw new Error('Nothing was minted.');
  }

  /** Calls a contract from an account. */
  async call(sender: Wallet, { address, codec }: LabToken, method: string, ...args: unknown[]): Promise<Done> {
    return this.send(sender, { to: address, data: codec.encodeFunctionData(method, args) });
  }

  /** The balance of a token, or of the coin for `NATIVE_COIN`. */
  async balance(token: string, holder: string): Promise<bigint> {
    if (token === NATIVE_COIN) return this.node.ask(HEX, 'eth_getBalance', holder, 'latest');
    const data = oddContract('OddToken').codec.encodeFunctionData('balanceOf', [holder]);
    return this.node.ask(HEX, 'eth_call', { to: token, data }, 'latest');
  }

  /** Deposit addresses that nothing has happened to yet. */
  newDeposits(count: number): string[] {
    return Array.from({ length: count }, () => walletOf(`deposit ${(this.deposits += 1)}`).address);
  }

  /** Gives an item its money: `DEPOSITED`. */
  async pay({ deposit, tokenContract: address }: SweepItem): Promise<void> {
    if (address === NATIVE_COIN) await this.fund(deposit, DEPOSITED);
    else await this.mint({ address, codec: oddContract('OddToken').codec }, deposit, DEPOSITED);
  }

  /** A new deposit address with money on it. */
  async paidItem(tokenContract: string): Promise<SweepItem> {
    const [deposit = ''] = this.newDeposits(1);
    const item = { deposit, tokenContract };
    await this.pay(item);
    return item;
  }

  /** What is still on the item's address. */
  async left({ deposit, tokenContract }: SweepItem): Promise<bigint> {
    return this.balance(tokenContract, deposit);
  }

  async fund(holder: string, value: bigint): Promise<void> {
    await this.node.send('anvil_setBalance', holder, `0x${value.toString(16)}`);
  }

  async codeOf(address: string): Promise<string> {
    return this.node.ask(z.string(), 'eth_getCode', address, 'latest');
  }

  async stop(): Promise<void> {
    await this.node.stop();
  }

  private async nonceOf(address: string): Promise<number> {
    return Number(await this.node.ask(HEX, 'eth_getTransactionCount', address, 'latest'));
  }

  private async missingAuthorizations(items: readonly SweepItem[]): Promise<Authorization[]> {
    const missing: Authorization[] = [];
    for (const deposit of new Set(items.map((item) => item.deposit))) {
      const wallet = known.get(deposit);
      const { delegate } = this.contracts;
      if (wallet !== undefined && delegateIn(await this.codeOf(deposit)) !== delegate.address)
        missing.push(await this.authorize(wallet));
    }
    return missing;
  }

  private async deployed({ bytecode, codec }: OddContract, args: readonly unknown[]): Promise<LabToken> {
    const data = `${bytecode}${codec.encodeDeploy([...args]).slice(2)}`;
    const { contractAddress } = await this.send(walletOf('deployer'), { data, gasLimit: 3_000_000n });
    return { address: contractAddress, codec };
  }
}

/** Every key that was asked for, by its address. */
const known = new Map<string, Wallet>();

/** The key of a name, always the same. */
export function walletOf(name: string): Wallet {
  const wallet = new Wallet(id(name));
  known.set(wallet.address, wallet);
  return wallet;
}

/** The key of an address that `walletOf` gave. */
export function keyOf(address: string): Wallet {
  const wallet = known.get(address);
  if (wallet === undefined) throw new Error(`No key is known for ${address}.`);
  return wallet;
}
