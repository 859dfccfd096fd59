import { Interface } from 'ethers';
import { z } from 'zod';
import { compileSolidity } from './solidity.js';

/** Tokens that cause problems when they are swept, like tokens in use have caused. */
const SOURCE = `
// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

contract OddToken {
  event Transfer(address indexed from, address indexed to, uint256 value);
  mapping(address => uint256) public balanceOf;
  mapping(address => bool) public frozen;

  function mint(address to, uint256 value) external { balanceOf[to] += value; }
  function freeze(address holder) external { frozen[holder] = true; }

  function transfer(address to, uint256 value) public virtual returns (bool) {
    require(!frozen[msg.sender], "frozen");
    balanceOf[msg.sender] -= value;
    balanceOf[to] += value;
    emit Transfer(msg.sender, to, value);
    return true;
  }
}

/// Returns false without a revert.
contract FalseToken is OddToken {
  function transfer(address, uint256) public pure override returns (bool) { return false; }
}

/// An assert of old compilers: it uses all gas.
contract BurningToken is OddToken {
  function transfer(address, uint256) public pure override returns (bool) { assembly { invalid() } }
}

/// Fails with a very long message, which costs gas to copy.
contract LongWindedToken is OddToken {
  function transfer(address, uint256) public pure override returns (bool) { assembly { revert(0, 100000) } }
}

/// Calls back before it pays: the sender's other balances, the same one, and a configured contract.
contract ReentrantToken is OddToken {
  address private other;
  address private batch;
  bytes private batchCall;

  function aim(address other_, address batch_, bytes calldata batchCall_) external {
    (other, batch, batchCall) = (other_, batch_, batchCall_);
  }

  function transfer(address to, uint256 value) public override returns (bool) {
    bool isPaid = super.transfer(to, value);
    // One level deep: the calls sweep this token again, whose balance is zero now.
    (bool ok, ) = msg.sender.call(abi.encodeWithSignature("sweep(address)", other));
    (ok, ) = msg.sender.call(abi.encodeWithSignature("sweep(address)", address(this)));
    (ok, ) = batch.call(batchCall);
    return isPaid;
  }
}

/// Refuses transfers from and to an address on its issuer's block list, like USDT.
contract BlackListToken is OddToken {
  function isBlackListed(address holder) external view returns (bool) { return frozen[holder]; }

  function transfer(address to, uint256 value) public override returns (bool) {
    require(!frozen[to], "blocked");
    return super.transfer(to, value);
  }
}

/// Writes a very large log for each transfer.
contract ThirstyToken is OddToken {
  mapping(uint256 => uint256) private notes;

  function transfer(address to, uint256 value) public override returns (bool) {
    for (uint256 i = 0; i < 8; i++) notes[i] = value;
    return super.transfer(to, value);
  }
}

/// Pays with the 2,300 gas of \`transfer\`, like early contracts.
contract OldPayer {
  function pay(address payable to) external payable { to.transfer(msg.value); }
}

/// Accepts coins, and sweeps a deposit address with the remaining gas; with too little gas it only accepts the coins.
contract SweepingPayee {
  address private immutable deposit;
  address private immutable token;

  constructor(address deposit_, address token_) { (deposit, token) = (deposit_, token_); }

  receive() external payable {
    (address to, address what) = (deposit, token);
    assembly {
      mstore(0, shl(224, 0x01681a62))
      mstore(4, what)
      pop(call(gas(), to, 0, 0, 36, 0, 0))
      stop()
    }
  }
}
`;

const ARTIFACT = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  evm: z.object({ bytecode: z.object({ object: z.string() }) }),
});
const OUTPUT = z.object({ contracts: z.object({ 'odd.sol': z.record(z.string(), ARTIFACT) }) });

/** A contract to deploy and its calls. */
export interface OddContract {
  readonly bytecode: string;
  readonly codec: Interface;
}

let compiled: Readonly<Record<string, OddContract>> | undefined;

/** One of the contracts of this file. */
export function oddContract(
  name:
    | 'OddToken'
    | 'FalseToken'
    | 'BurningToken'
    | 'LongWindedToken'
    | 'BlackListToken'
    | 'ThirstyToken'
    | 'ReentrantToken'
    | 'OldPayer'
    | 'SweepingPayee',
): OddContract {
  compiled ??= compile();
  const found = compiled[name];
  if (found === undefined) throw new Error(`There is no contract ${name}.`);
  return found;
}

function compile(): Readonly<Record<string, OddContract>> {
  const input = {
    language: 'Solidity',
    sources: { 'odd.sol': { content: SOURCE } },
    settings: { evmVersion: 'cancun', outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = compileSolidity(input);
  const parsed = OUTPUT.safeParse(output);
  if (!parsed.success) throw new Error(`The odd tokens do not compile: ${JSON.stringify(output)}`);
  const contracts = Object.entries(parsed.data.contracts['odd.sol']);
  return Object.fromEntries(
    contracts.map(([name, { abi, evm }]) => [
      name,
      { bytecode: `0x${evm.bytecode.object}`, codec: new Interface(JSON.stringify(abi)) },
    ]),
  );
}
