import { Module } from '@nestjs/common';
import { InboxReceiverController } from './inbox/inbox-receiver.controller.js';
import { SandboxController } from './sandbox.controller.js';
import { SandboxModule } from './sandbox.module.js';

/** The sandbox's own operations over HTTP. */
@Module({ imports: [SandboxModule], controllers: [SandboxController, InboxReceiverController] })
export class SandboxHttpModule {}
