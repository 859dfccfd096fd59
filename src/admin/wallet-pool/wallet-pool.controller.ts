import { Get } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { PoolUsageReader } from '../../payments/addresses/pool-usage.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { VaultHeartbeat } from '../../vault-status/vault-heartbeat.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentPool } from './wallet-pool.presenter.js';
import { type WalletPoolObject, walletPoolSchema } from './wallet-pool.schema.js';

/** Addresses that were derived ahead. */
@EnvironmentController('wallet-pool')
export class WalletPoolController {
  constructor(
    private readonly pools: PoolUsageReader,
    private readonly vault: VaultHeartbeat,
  ) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getWalletPool',
    summary: 'Retrieve the address pools',
    description: 'With how long the free addresses last at the rate of the last 7 days.',
    tag: 'Address pool',
    success: { description: 'One pool for each address family.', schema: walletPoolSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<WalletPoolObject> {
    const pools = await this.pools.of(environment);
    const { isOpen } = await this.vault.check();
    return {
      object: 'wallet_pool',
      pools: pools.map(presentPool),
      vault: isOpen ? 'open' : 'sealed',
      commands: ['npx coffer vault status', 'npx coffer doctor'],
    };
  }
}
