/** URI templates (RFC 6570) with values as text. Each pattern looks at a character once. */
const VARIABLE = /\{([+#./;?&]?)([^{}]+)\}/g;
const MOST_VARIABLES = 100;

const namesOf = list => list.split(',').map(name => name.split(/[*:]/, 1)[0]);

/** The names of the variables, of which a form shows no more than 100. */
export const variablesOf = template => [...new Set([...template.matchAll(VARIABLE)].flatMap(match => namesOf(match[2])))].slice(0, MOST_VARIABLES);

export function expand(template, values) {
  return template.replace(VARIABLE, (all, operator, list) => {
    const names = namesOf(list).filter(name => values[name]);
    const encode = operator === '+' || operator === '#' ? text => encodeURI(text) : encodeURIComponent;
    const isQuery = operator === '?' || operator === '&';
    const parts = names.map(name => (isQuery || operator === ';' ? `${name}=${encode(values[name])}` : encode(values[name])));
    const separator = isQuery ? '&' : operator === '/' || operator === '.' || operator === ';' ? operator : ',';
    return parts.length ? (operator && operator !== '+' ? operator : '') + parts.join(separator) : '';
  });
}
