import { Get } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { StakeOperations } from '../../treasury/stakes/stake-operations.service.js';
import { SweepOperations } from '../../treasury/sweeps/sweep-operations.service.js';
import { HotWalletReader } from '../../treasury/wallets/hot-wallet-reader.service.js';
import { TopUpReader } from '../../treasury/wallets/top-up-reader.service.js';
import { WalletComparisons } from '../../treasury/wallets/wallet-comparisons.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { stakeCommands } from './treasury-commands.js';
import {
  presentComparison,
  presentSetAside,
  presentStake,
  presentSweep,
  presentTopUp,
  presentWallet,
  presentWriteOff,
} from './treasury.presenter.js';
import { type TreasuryObject, treasurySchema } from './treasury.schema.js';

const TOP_UPS_SHOWN = 10;
const SWEEPS_SHOWN = 50;

/** Our own funds: what the hot wallets hold, what comes, and what is missing. */
@EnvironmentController('treasury')
export class TreasuryController {
  constructor(
    private readonly wallets: HotWalletReader,
    private readonly comparisons: WalletComparisons,
    private readonly topUps: TopUpReader,
    private readonly sweeps: SweepOperations,
    private readonly stakes: StakeOperations,
  ) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getTreasury',
    summary: 'Retrieve the state of the hot wallets',
    description: 'As recorded: no node is asked.',
    tag: 'Treasury',
    success: { description: 'Hot wallets, sweeps, top-ups, stakes and discrepancies.', schema: treasurySchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<TreasuryObject> {
    const wallets = (await this.wallets.all()).filter((wallet) => wallet.environment === environment);
    const comparisons = await this.comparisons.comparisons(environment);
    const topUps = await this.topUps.page({ environment, network: null, limit: TOP_UPS_SHOWN, after: null });
    const writtenOff = await this.comparisons.writtenOff(environment);
    const sweeps = await this.sweeps.open(SWEEPS_SHOWN, environment);
    const setAside = await this.sweeps.setAside(SWEEPS_SHOWN, environment);
    const stakes = await this.stakes.recent(environment);
    return {
      object: 'treasury',
      wallets: wallets.map(presentWallet),
      comparisons: comparisons.map((found) => presentComparison(environment, found)),
      write_offs: writtenOff.map(presentWriteOff),
      top_ups: topUps.map(presentTopUp),
      sweeps: sweeps.map(presentSweep),
      set_aside: setAside.map(presentSetAside),
      stakes: stakes.map(presentStake),
      stake_commands: wallets.some(({ network }) => network === 'tron') ? stakeCommands(environment) : [],
    };
  }
}
