import { Module } from '@nestjs/common';
import { ExplainModule } from '../../explain/explain.module.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { IntentsModule } from '../../payments/intents/intents.module.js';
import { IntentsController } from './intents.controller.js';

/** Payment intents for the console. */
@Module({ imports: [ExplainModule, IntentsModule, NetworksModule], controllers: [IntentsController] })
export class IntentsAdminModule {}
