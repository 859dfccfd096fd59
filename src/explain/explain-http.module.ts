import { Module } from '@nestjs/common';
import { ExplainController } from './explain.controller.js';
import { ExplainModule } from './explain.module.js';

/** Explanations over HTTP. */
@Module({ imports: [ExplainModule], controllers: [ExplainController] })
export class ExplainHttpModule {}
