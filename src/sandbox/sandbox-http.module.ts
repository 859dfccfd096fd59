import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { SandboxController } from './sandbox.controller.js';
import { SandboxModule } from './sandbox.module.js';

/** The sandbox's own operations over HTTP. */
@Module({ imports: [IdempotencyModule, SandboxModule], controllers: [SandboxController] })
export class SandboxHttpModule {}
