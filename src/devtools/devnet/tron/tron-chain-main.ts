/**
 * The tron development chain: a full node and its solid interface on one port, in a process of its own.
 *
 * What it verifies, by the class of java-tron that does (chain parameters can be changed):
 * - bytes: canonical protobuf, unknown fields kept, id = SHA-256 of `raw_data` as it encodes that itself
 *   (TransactionCapsule; Util.packTransaction ignores `raw_data_hex` and `txID`);
 * - exactly one contract, of the type that its parameter names (Wallet.broadcastTransaction, Manager.processTransaction);
 * - size at most 500 KiB with twice 64 bytes for results; expiration from the next slot on, after the time of the previous
 *   block and at most 24 h after it (Manager.validateCommon, TransactionCapsule.checkExpiration);
 * - reference block among the last 65,536 (Manager.validateTapos, RecentBlockStore);
 * - no id twice, pending or in a block (Manager.validateDup);
 * - one signature by the owner's key, recovery id 0, 1, 27 or 28, permission 0 or the default active one, 2
 *   (TransactionCapsule.checkWeight);
 * - bandwidth: bytes + 64, staked, else free, else burned, never in parts; creating an account uses staked bandwidth, else
 *   burns 0.1 TRX (BandwidthProcessor); recovery within 24 h (ResourceProcessor.increaseV2); the memo fee
 *   (Manager.consumeMemoFee);
 * - transfers and activations for 1 TRX, none to contracts (TransferActuator, CreateAccountActuator);
 * - stakes, unstaking with a delay, withdrawal, delegation with locks, and its end with the used part
 *   (FreezeBalanceV2Actuator, UnfreezeBalanceV2Actuator, WithdrawExpireUnfreezeActuator, DelegateResourceActuator,
 *   UnDelegateResourceActuator);
 * - contracts: a real EVM with Tron's prices of opcodes (EnergyCost); energy limit by stake, balance and fee limit
 *   (VMActuator); staked energy first, the rest burned (ReceiptCapsule.payEnergyBill); a revert costs what it used, every
 *   other failure the limit; the penalty of popular contracts; internal transactions, rejected ones too;
 * - broadcast codes and messages (Wallet.broadcastTransaction), infos (TransactionUtil.buildTransactionInfoInstance),
 *   block ids (BlockCapsule), roots (MerkleTree), JSON (JsonFormat, HttpSelfFormatFieldName);
 * - pending transactions are executed at once on the state that `/wallet` answers from, and again in their block, where
 *   those that are no longer valid vanish silently (Manager.pushTransaction, Manager.generateBlock);
 * - after a fork, dropped transactions are pending again (Manager.switchFork), and the solid block never falls.
 *
 * Not modelled: other contract types (also CreateSmartContract, votes, TRC-10); several keys, changed permissions and the
 * multi-sign fee; the creator's share of energy (consume_user_resource_percent is 100); a factor of popular contracts that
 * follows their usage (a control call sets it, and it counts for everything that a call runs); the opcode in the message of
 * OUT_OF_ENERGY; OUT_OF_TIME; SELFDESTRUCT, Tron's own opcodes and precompiles; public bandwidth of the whole chain; limits
 * of a block's size; the cache of ids that answers "Transaction already exists." (off by default); votes, rewards and the
 * maintenance interval; the reserve of getcandelegatedmaxsize for the bytes of the transaction itself; getaccountbalance and
 * other history (off by default); int64_as_string; peers. The time of a block decides its witness, and 27 fixed keys sign.
 */
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    journal: { type: 'string' },
    port: { type: 'string' },
    'block-interval-ms': { type: 'string' },
    'solidity-distance': { type: 'string' },
  },
});
const required = (name: keyof typeof values): string => {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing.`);
  return value;
};
// The EVM takes longer to compile than to start. Without a directory of the environment the code is kept in the temporary one.
enableCompileCache();
const { serveTronChain } = await import('./serve-tron-chain.js');
await serveTronChain({
  journalPath: required('journal'),
  port: Number(required('port')),
  intervalMs: Number(required('block-interval-ms')),
  solidityDistance: Number(required('solidity-distance')),
});
