/**
 * Reads a page of Prometheus' text format from stdin with a parser of others.
 *
 * Prints one JSON object: for each metric family its type, and how many samples it has.
 */
import parse from 'parse-prometheus-text-format';

const chunks = [];
for await (const chunk of process.stdin) {
  chunks.push(chunk);
}
const families = parse(Buffer.concat(chunks).toString('utf8'));
console.log(JSON.stringify(Object.fromEntries(families.map(
    family => [family.name, { type: family.type, samples: family.metrics.length }]))));
