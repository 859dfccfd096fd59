import { Module } from '@nestjs/common';
import { SandboxController } from './sandbox.controller.js';
import { SandboxModule } from './sandbox.module.js';

/** The sandbox's own operations over HTTP. */
@Module({ imports: [SandboxModule], controllers: [SandboxController] })
export class SandboxHttpModule {}
