import { Module } from '@nestjs/common';
import { AuditAdminModule } from './audit/audit-admin.module.js';
import { DeliveriesAdminModule } from './deliveries/deliveries-admin.module.js';
import { DepositsAdminModule } from './deposits/deposits-admin.module.js';
import { EndpointsAdminModule } from './endpoints/endpoints-admin.module.js';
import { IntentsAdminModule } from './intents/intents-admin.module.js';
import { InvitationsAdminModule } from './invitations/invitations-admin.module.js';
import { MerchantsAdminModule } from './merchants/merchants-admin.module.js';
import { NotesAdminModule } from './notes/notes-admin.module.js';
import { PocketsAdminModule } from './pockets/pockets-admin.module.js';
import { SandboxAdminModule } from './sandbox/sandbox-admin.module.js';
import { RequestsAdminModule } from './requests/requests-admin.module.js';
import { SearchAdminModule } from './search/search-admin.module.js';
import { WithdrawalsAdminModule } from './withdrawals/withdrawals-admin.module.js';
import { SessionAdminModule } from './session/session-admin.module.js';
import { NetworksAdminModule } from './networks/networks-admin.module.js';
import { TreasuryAdminModule } from './treasury/treasury-admin.module.js';
import { BooksAdminModule } from './books/books-admin.module.js';
import { WalletPoolAdminModule } from './wallet-pool/wallet-pool-admin.module.js';
import { PricesAdminModule } from './prices/prices-admin.module.js';
import { SanctionsAdminModule } from './sanctions/sanctions-admin.module.js';
import { ChartsAdminModule } from './charts/charts-admin.module.js';
import { StreamAdminModule } from './stream/stream-admin.module.js';
import { TeamAdminModule } from './team/team-admin.module.js';

/** The API of the console. One module for each of its subjects. */
@Module({
  imports: [
    SessionAdminModule,
    InvitationsAdminModule,
    StreamAdminModule,
    DeliveriesAdminModule,
    EndpointsAdminModule,
    SearchAdminModule,
    IntentsAdminModule,
    PocketsAdminModule,
    WithdrawalsAdminModule,
    DepositsAdminModule,
    NotesAdminModule,
    SandboxAdminModule,
    RequestsAdminModule,
    NetworksAdminModule,
    TreasuryAdminModule,
    BooksAdminModule,
    WalletPoolAdminModule,
    PricesAdminModule,
    SanctionsAdminModule,
    ChartsAdminModule,
    MerchantsAdminModule,
    TeamAdminModule,
    AuditAdminModule,
  ],
})
export class AdminModule {}
