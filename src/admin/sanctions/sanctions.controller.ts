import { Get } from '@nestjs/common';
import { ApiOperationDocs } from '../../http/openapi-operation.decorator.js';
import { SanctionsList } from '../../sanctions/sanctions-list.service.js';
import { CurrentStaff, RequirePermission, type StaffCaller } from '../../staff/staff-access.js';
import { DepositsWithoutPocket } from '../../suspense/deposits-without-pocket.service.js';
import { EnvironmentController } from '../environment-controller.js';
import { presentImport, presentList, presentRefusal } from './sanctions.presenter.js';
import { type SanctionsObject, sanctionsSchema } from './sanctions.schema.js';

const IMPORTS_SHOWN = 10;
const REFUSALS_SHOWN = 20;

/** The sanctions list, which all environments share, and what it stopped in one. */
@EnvironmentController('sanctions')
export class SanctionsController {
  constructor(
    private readonly list: SanctionsList,
    private readonly deposits: DepositsWithoutPocket,
  ) {}

  @Get()
  @RequirePermission('operations.read')
  @ApiOperationDocs({
    operationId: 'getSanctions',
    summary: 'Retrieve the sanctions list and the payments that it stopped',
    tag: 'Sanctions',
    success: { description: 'The list, its versions, and payments of listed senders.', schema: sanctionsSchema },
  })
  async get(@CurrentStaff() { environment }: StaffCaller): Promise<SanctionsObject> {
    const status = await this.list.status();
    const imports = await this.list.imports(IMPORTS_SHOWN);
    const refusals = await this.deposits.listed(environment, REFUSALS_SHOWN);
    return {
      object: 'sanctions',
      current: status === null ? null : presentList(status),
      imports: imports.map(presentImport),
      refusals: refusals.map(presentRefusal),
      commands: ['npx coffer sanctions import <FILE>', 'npx coffer sanctions check <ADDRESS>'],
    };
  }
}
