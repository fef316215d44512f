import type { Report } from './program.js';

export declare function toldByPage(address: string, expression: string): Promise<Report>;
