import { Module } from '@nestjs/common';
import { SandboxModule } from '../../sandbox/sandbox.module.js';
import { InboxesController } from './inboxes.controller.js';
import { IntentControlsController } from './intent-controls.controller.js';

/** What exists in the sandbox alone, for the console. */
@Module({ imports: [SandboxModule], controllers: [IntentControlsController, InboxesController] })
export class SandboxAdminModule {}
