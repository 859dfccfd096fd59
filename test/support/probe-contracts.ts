import { Interface } from 'ethers';
import { z } from 'zod';
import type { AnvilNode } from './anvil-node.js';
import { compileSolidity } from './solidity.js';

/** Tokens without balances that follow a spec's orders: a listener only reads logs and the status. */
const SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

contract ProbeToken {
  event Transfer(address indexed from, address indexed to, uint256 value);
  string public constant symbol = "USDC";
  uint8 public immutable decimals;

  constructor(uint8 decimals_) { decimals = decimals_; }

  function transfer(address to, uint256 value) external returns (bool) {
    emit Transfer(msg.sender, to, value);
    return true;
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    emit Transfer(from, to, value);
    return true;
  }

  /// Returns false without a revert, like some old tokens.
  function decline(address, uint256) external pure returns (bool) { return false; }

  function transferAndRevert(address to, uint256 value) external {
    emit Transfer(msg.sender, to, value);
    revert("no");
  }

  /// The Transfer of an NFT: same topic0, the value is a fourth topic.
  function transferNft(address to, uint256 id) external {
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    assembly { log4(0, 0, topic, caller(), to, id) }
  }

  /// A recipient topic whose upper bytes are not zero.
  function transferDirty(address to, uint256 value) external {
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    assembly {
      mstore(0, value)
      log3(0, 32, topic, caller(), or(shl(160, 1), to))
    }
  }
}

/// The block list of USDC.
contract CircleToken is ProbeToken {
  mapping(address => bool) public isBlacklisted;
  constructor() ProbeToken(6) {}
  function freeze(address holder, bool frozen) external { isBlacklisted[holder] = frozen; }
}

/// The block list of USDT.
contract TetherToken is ProbeToken {
  mapping(address => bool) public isBlackListed;
  constructor() ProbeToken(6) {}
  function freeze(address holder, bool frozen) external { isBlackListed[holder] = frozen; }
}

/// The block list of USDT on later chains.
contract BlockingToken is ProbeToken {
  mapping(address => bool) public isBlocked;
  constructor() ProbeToken(6) {}
  function freeze(address holder, bool frozen) external { isBlocked[holder] = frozen; }
}

/// Keeps a fee of 1 % of each transfer, as USDT can. It logs the received amount, unless it is set to hide the fee.
contract FeeToken {
  event Transfer(address indexed from, address indexed to, uint256 value);
  uint8 public constant decimals = 6;
  mapping(address => uint256) public balanceOf;
  address private immutable issuer = msg.sender;
  bool private isHidden;

  function hide() external { isHidden = true; }
  function rebase(address holder, uint256 value) external { balanceOf[holder] = value; }

  function transfer(address to, uint256 value) external returns (bool) {
    uint256 fee = value / 100;
    balanceOf[to] += value - fee;
    balanceOf[issuer] += fee;
    emit Transfer(msg.sender, to, isHidden ? value : value - fee);
    emit Transfer(msg.sender, issuer, fee);
    return true;
  }
}

contract Batcher {
  function pay(ProbeToken[] calldata tokens, address[] calldata to, uint256[] calldata values) external {
    for (uint256 i = 0; i < to.length; i++) tokens[i].transfer(to[i], values[i]);
  }
}

/// Passes the chain's own coin on, which leaves no log and no transaction to the recipient.
contract Purse {
  constructor() payable {}
  receive() external payable {}

  function forward(address payable[] calldata to, uint256[] calldata values) external payable {
    for (uint256 i = 0; i < to.length; i++) pay(to[i], values[i]);
  }

  /// The inner call pays and is reverted; the transaction succeeds.
  function payInVain(address payable to) external payable {
    try this.payAndRevert(to, msg.value) {} catch {}
  }

  function payAndRevert(address payable to, uint256 value) external {
    pay(to, value);
    revert("no");
  }

  function bequeath(address payable to) external payable { selfdestruct(to); }

  function pay(address payable to, uint256 value) private {
    (bool paid, ) = to.call{value: value}("");
    require(paid);
  }
}

contract NoToken {
  fallback() external { revert("no such function"); }
}
`;

const ARTIFACT = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  evm: z.object({ bytecode: z.object({ object: z.string() }) }),
});
const OUTPUT = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z.object({
    'probe.sol': z.object({
      ProbeToken: ARTIFACT,
      CircleToken: ARTIFACT,
      TetherToken: ARTIFACT,
      BlockingToken: ARTIFACT,
      FeeToken: ARTIFACT,
      Batcher: ARTIFACT,
      Purse: ARTIFACT,
      NoToken: ARTIFACT,
    }),
  }),
});
const RECEIPT = z.object({
  blockNumber: z.string(),
  blockHash: z.string(),
  contractAddress: z.string().nullish(),
  logs: z.array(z.object({ logIndex: z.string() })),
});

/** The part of a node that the probes need. */
type Asked = Pick<AnvilNode, 'ask'>;

type Artifacts = z.infer<typeof OUTPUT>['contracts']['probe.sol'];

let compiled: Artifacts | undefined;

function artifacts(): Artifacts {
  if (compiled !== undefined) return compiled;
  const input = {
    language: 'Solidity',
    sources: { 'probe.sol': { content: SOURCE } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = compileSolidity(input);
  const parsed = OUTPUT.safeParse(output);
  if (!parsed.success) throw new Error(`The probe contracts do not compile: ${JSON.stringify(output)}`);
  compiled = parsed.data.contracts['probe.sol'];
  return compiled;
}

/** A transaction and where it was mined. */
export interface Mined {
  readonly txHash: string;
  readonly block: { readonly height: number; readonly hash: string };
  /** Block-wide indexes of its logs. */
  readonly logIndexes: readonly number[];
  readonly contractAddress: string | null;
}

/** A transaction to send; one with a higher bid comes first in its block. */
export interface Order {
  readonly to?: string;
  readonly data?: string;
  /** Of the chain's own coin, in hex. */
  readonly value?: string;
  readonly gasPrice?: string;
}

/** A deployed contract, in lower case, and calls to it from the node's first account. */
export class ProbeContract {
  private constructor(
    private readonly node: Asked,
    private readonly codec: Interface,
    readonly address: string,
  ) {}

  /** A probe whose code was set at a given address. */
  static at(node: Asked, name: keyof Artifacts, address: string): ProbeContract {
    return new ProbeContract(node, new Interface(JSON.stringify(artifacts()[name].abi)), address.toLowerCase());
  }

  static async deploy(node: Asked, name: keyof Artifacts, ...args: readonly unknown[]): Promise<ProbeContract> {
    const { abi, evm } = artifacts()[name];
    const codec = new Interface(JSON.stringify(abi));
    const data = `0x${evm.bytecode.object}${codec.encodeDeploy([...args]).slice(2)}`;
    const { contractAddress } = await minedTransaction(node, await sendTransaction(node, { data }));
    if (contractAddress === null) throw new Error(`${name} was not deployed.`);
    return new ProbeContract(node, codec, contractAddress.toLowerCase());
  }

  /** Calls a function in a transaction that is mined at once, also when it fails. */
  async send(method: string, ...args: readonly unknown[]): Promise<Mined> {
    return minedTransaction(this.node, await sendTransaction(this.node, this.order(method, ...args)));
  }

  /** Calls a function that is given so much of the chain's own coin. */
  async sendWith(value: bigint, method: string, ...args: readonly unknown[]): Promise<Mined> {
    const order = { ...this.order(method, ...args), value: hexOf(value) };
    return minedTransaction(this.node, await sendTransaction(this.node, order));
  }

  /** Encodes a call without sending it. */
  order(method: string, ...args: readonly unknown[]): Order {
    return { to: this.address, data: this.codec.encodeFunctionData(method, [...args]) };
  }
}

/** A quantity in the format of JSON-RPC. */
export const hexOf = (value: bigint): string => `0x${value.toString(16)}`;

/** Sends from one of the node's own accounts; the gas is fixed because the estimate of a failing call fails. */
export async function sendTransaction(node: Asked, order: Order, account = 0): Promise<string> {
  const accounts = await node.ask(z.array(z.string()), 'eth_accounts');
  return node.ask(z.string(), 'eth_sendTransaction', { from: accounts[account], gas: '0x4c4b40', ...order });
}

/** Waits for the block of a transaction; the node mines at once, but only after it has returned the hash. */
export async function minedTransaction(node: Asked, txHash: string): Promise<Mined> {
  for (;;) {
    const receipt = await node.ask(RECEIPT.nullable(), 'eth_getTransactionReceipt', txHash);
    if (receipt === null) continue;
    const block = { height: Number(receipt.blockNumber), hash: receipt.blockHash };
    const logIndexes = receipt.logs.map(({ logIndex }) => Number(logIndex));
    return { txHash, block, logIndexes, contractAddress: receipt.contractAddress ?? null };
  }
}
