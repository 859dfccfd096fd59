import { parseAddress } from '../address.js';
import { tronDevAccount } from '../tron-dev-accounts.js';
import { callData } from '../vm/call-data.js';
import { CONTRACT_NAMES, creationCode, type ContractName } from '../vm/contract-artifact.js';
import type { Evm } from '../vm/evm.js';
import type { DevRole } from '../../dev-mnemonic.js';
import { newAccount, SUN_PER_TRX } from './account.js';
import type { ChainState } from './chain-state.js';

/** The address key of each contract of the genesis block, the same on every chain. */
export type GenesisContracts = Readonly<Record<ContractName, string>>;

const ROLES: readonly DevRole[] = ['faucet', 'sandboxPayer', 'minter', 'rival'];
/** TRX, and whole tokens of each kind, of every account. */
const FUNDS = 1_000_000_000n;
const TOKEN_UNIT = 1_000_000n;
const BOX_FUNDS = 1_000_000n * SUN_PER_TRX;
/** The TRX that the rest of the world has staked, so that a stake here gives as much as on the main network. */
const STAKED_ELSEWHERE = {
  netWeight: 26_000_000_000n,
  energyWeight: 19_000_000_000n,
  tronPowerWeight: 45_000_000_000n,
};
const ENERGY = 10_000_000n;

/** Writes the accounts of the development chain, its tokens and the contracts for tests. */
export async function writeGenesis(state: ChainState, evm: Evm, time: number): Promise<GenesisContracts> {
  for (const [name, weight] of Object.entries(STAKED_ELSEWHERE)) state.totals.set(name, weight);
  for (const role of ROLES) {
    const address = keyOf(role);
    state.accounts.set(address, { ...newAccount(address, 'Normal', time), balance: FUNDS * SUN_PER_TRX });
  }
  const creator = keyOf('minter');
  const place = { number: 0, time, headTime: time };
  const created: [ContractName, string][] = [];
  for (const name of CONTRACT_NAMES) {
    const address = await evm.deploy(state, creator, creationCode(name), place);
    state.contracts.set(address, { origin: creator, name });
    created.push([name, address]);
  }
  const addresses = Object.fromEntries(created);
  const contractAt = (name: ContractName): string => addresses[name] ?? '';
  for (const token of ['TronTether', 'TronUsdCoin'] as const) {
    for (const role of ROLES.filter((one) => one !== 'minter')) {
      const { result } = await evm.call({
        state,
        id: 'genesis',
        caller: creator,
        contract: contractAt(token),
        data: callData('transfer(address,uint256)', keyOf(role), FUNDS * TOKEN_UNIT),
        value: 0n,
        energyLimit: ENERGY,
        place,
      });
      if (result !== 'SUCCESS') throw new Error(`The ${role} got no tokens: ${result}.`);
    }
  }
  const box = state.accounts.get(contractAt('PayoutBox'));
  if (box !== null) state.accounts.set(box.address, { ...box, balance: BOX_FUNDS });
  return {
    TronTether: contractAt('TronTether'),
    TronUsdCoin: contractAt('TronUsdCoin'),
    PayoutBox: contractAt('PayoutBox'),
    StorageWriter: contractAt('StorageWriter'),
    RevertingForwarder: contractAt('RevertingForwarder'),
  };
}

function keyOf(role: DevRole): string {
  const key = parseAddress(tronDevAccount(role).address);
  if (key === null) throw new Error(`The account of ${role} has no address.`);
  return key;
}
