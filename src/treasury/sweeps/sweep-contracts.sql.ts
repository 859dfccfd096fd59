import { as } from '../../platform/sql/as.js';
import { sql, type SqlText } from '../../platform/sql/sql.js';
import { columns, out, set, table, values } from '../../platform/sql/table.js';
import { ChainTransaction } from '../transactions/chain-transaction.entity.js';
import { HotWallet } from '../wallets/hot-wallet.entity.js';
import { type ContractTrouble, SweepContract } from './sweep-contract.entity.js';

const contract = table(SweepContract);
const transaction = table(ChainTransaction);
const wallet = table(HotWallet);

/** What identifies a contract that is not abandoned. */
export interface ContractKey {
  readonly chainRef: string;
  readonly address: string;
}

const isCurrent = ({ chainRef, address }: ContractKey): SqlText => sql`
  ${contract.chainRef} = ${chainRef} and ${contract.address} = ${address} and ${contract.abandonedAt} is null`;

/** Finds the hot wallet of a chain, with the contracts that were found there at any time. */
export const findWalletWithContracts = (chainRef: string) => sql`
  select ${out(wallet, 'addressKey')},
         array(select ${contract.address} from ${contract}
                where ${contract.chainRef} = ${chainRef} and ${contract.readyAt} is not null) ${as.texts('known')}
    from ${wallet} where ${wallet.chainRef} = ${chainRef}`;

/** Inserts a contract, unless there is one that is not abandoned. */
export const insertContract = (row: ContractKey & Pick<SweepContract, 'id' | 'kind'>) => sql`
  insert into ${contract} ${values(contract, row)}
  on conflict ${columns(contract, 'chainRef', 'address')} where ${columns(contract, 'abandonedAt')} is null do nothing`;

/** Marks a contract as found on the chain. */
export const markReady = (key: ContractKey) => sql`
  update ${contract} set ${set(contract, { readyAt: sql`now()`, trouble: null, waitingReason: null })}
   where ${isCurrent(key)} and ${contract.readyAt} is null`;

/** Finds the deployment of a contract that was mined up to a block. */
export const findDeployment = (key: ContractKey, height: number) => sql`
  select from ${contract}
    join ${transaction} on ${transaction.purpose} = 'contract' and ${transaction.purposeId} = ${contract.id}
                       and ${transaction.minedHeight} <= ${height}
   where ${isCurrent(key)}`;

/** Records why a contract is missing; returns it if the trouble is new. */
export const markTrouble = (key: ContractKey, trouble: ContractTrouble | null) => sql`
  update ${contract} set ${set(contract, { trouble })}
   where ${isCurrent(key)} and ${contract.readyAt} is null and ${contract.trouble} is distinct from ${trouble}
  returning ${out(contract, 'id')}`;
