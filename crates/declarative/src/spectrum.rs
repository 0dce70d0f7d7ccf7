//! How suspicious code is for the runs that cover it: Ochiai's coefficient.

/// The suspiciousness of code, from 0 to 1: `ef / sqrt((ef + nf) (ef + ep))`. It is 0 if no failing run
/// covers the code.
///
/// `ef` failing runs cover it and `nf` do not; `ep` passing runs cover it.
pub fn ochiai(ef: u32, nf: u32, ep: u32) -> f64 {
    let product = (f64::from(ef) + f64::from(nf)) * (f64::from(ef) + f64::from(ep));
    if ef == 0 { 0.0 } else { f64::from(ef) / product.sqrt() }
}

/// How likely code is faulty, relative to other code, if exactly one part of the code is: `ef` failing runs
/// cover it and `nf` do not, `ep` passing runs cover it.
///
/// The passing runs count as in `fault_estimates`: faulty code that fails in an unknown fraction of its runs,
/// with larger fractions likelier, succeeds in all of `ep` runs with probability 2/((ep+1)(ep+2)). A fault
/// elsewhere explains the failing runs that do not cover the code.
pub fn suspicion(ef: u32, nf: u32, ep: u32) -> f64 {
    if ef == 0 { 0.0 } else { succeeds(f64::from(ep)) * f64::from(ef) / (f64::from(ef) + f64::from(nf)) }
}

/// Probability that faulty code succeeds in all of this many runs.
pub fn succeeds(runs: f64) -> f64 {
    2.0 / ((runs + 1.0) * (runs + 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspiciousness_equals_a_table_computed_by_hand() {
        for (ef, nf, ep, expected) in [
            (1, 0, 0, 1.0),
            (1, 0, 3, 0.5),
            (1, 0, 8, 1.0 / 3.0),
            (2, 2, 2, 0.5),
            (3, 0, 0, 1.0),
            (1, 3, 0, 0.5),
            (0, 1, 5, 0.0),
            (0, 0, 0, 0.0),
        ] {
            let found = ochiai(ef, nf, ep);
            assert!((found - expected).abs() < 1e-12, "{ef} {nf} {ep}: {found}");
        }
    }

    #[test]
    fn suspicion_equals_a_table_computed_by_hand() {
        for (ef, nf, ep, expected) in
            [(1, 0, 0, 1.0), (1, 0, 1, 1.0 / 3.0), (2, 2, 2, 1.0 / 12.0), (3, 1, 0, 0.75), (0, 1, 0, 0.0)]
        {
            let found = suspicion(ef, nf, ep);
            assert!((found - expected).abs() < 1e-12, "{ef} {nf} {ep}: {found}");
        }
    }
}
