/**
 * The parameters that this chain reads, by the keys of `getchainparameters`. The values are like those of the main network; the
 * prices are the newest of the recorded answers of getenergyprices and getbandwidthprices.
 */
export const CHAIN_PARAMETERS = {
  getMaintenanceTimeInterval: 21_600_000n,
  /** Sun that creating an account costs instead of staked bandwidth. */
  getCreateAccountFee: 100_000n,
  /** Sun per byte of a transaction. */
  getTransactionFee: 1_000n,
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
  getCreateNewAccountBandwidthRate: 1n,
  /** Sun per energy. */
  getEnergyFee: 100n,
  getTotalEnergyLimit: 180_000_000_000n,
  getTotalEnergyCurrentLimit: 180_000_000_000n,
  getMultiSignFee: 1_000_000n,
  getTotalNetLimit: 43_200_000_000n,
  getFreeNetLimit: 600n,
  getMaxFeeLimit: 15_000_000_000n,
  getForbidTransferToContract: 1n,
  getUnfreezeDelayDays: 14n,
  getAllowDynamicEnergy: 1n,
  getDynamicEnergyMaxFactor: 34_000n,
  /** Sun for a memo. */
  getMemoFee: 1_000_000n,
  /** In slots of 3 seconds. */
  getMaxDelegateLockPeriod: 864_000n,
  getMaxCreateAccountTxSize: 1_000n,
} as const satisfies Readonly<Record<string, bigint>>;

export type ChainParameterName = keyof typeof CHAIN_PARAMETERS;
export type ChainParameters = Readonly<Record<ChainParameterName, bigint>>;

/** Source: Constant.SUN_PER_ENERGY. */
const SUN_PER_ENERGY_DEFAULT = 100n;

/** The sun per energy; a parameter of 0 means the default. Source: VMActuator, ReceiptCapsule. */
export const energyPrice = ({ getEnergyFee: fee }: ChainParameters): bigint =>
  fee > 0n ? fee : SUN_PER_ENERGY_DEFAULT;

/** Whether a name is that of a parameter. */
export const isChainParameter = (name: string): name is ChainParameterName => name in CHAIN_PARAMETERS;
