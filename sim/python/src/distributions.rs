//! Quantiles and tail probabilities by the crate statrs: what scipy has of them takes 0.3 s to load.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use statrs::distribution::{Binomial, ChiSquared, Continuous, ContinuousCDF, DiscreteCDF, FisherSnedecor};
use statrs::distribution::{Normal, StudentsT};

/// statrs finds a quantile of Student's t to about six digits; each Newton step doubles them.
const NEWTON_STEPS: u32 = 3;
/// Where these steps converge.
const QUANTILES: std::ops::RangeInclusive<f64> = 0.75..=0.9999;

fn defined<T, E: std::fmt::Display>(distribution: Result<T, E>) -> PyResult<T> {
    distribution.map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pyfunction]
pub fn student_quantile(probability: f64, freedom: f64) -> PyResult<f64> {
    if !QUANTILES.contains(&probability) || freedom < 1.0 {
        let asked = format!("{probability} with {freedom} degrees of freedom");
        return Err(PyValueError::new_err(format!("a probability of 0.75 to 0.9999 with 1 or more, not {asked}")));
    }
    let student = defined(StudentsT::new(0.0, 1.0, freedom))?;
    let mut value = student.inverse_cdf(probability);
    for _ in 0..NEWTON_STEPS {
        value -= (student.cdf(value) - probability) / student.pdf(value);
    }
    Ok(value)
}

#[pyfunction]
pub fn student_above(value: f64, freedom: f64) -> PyResult<f64> {
    Ok(defined(StudentsT::new(0.0, 1.0, freedom))?.sf(value))
}

#[pyfunction]
pub fn normal_quantile(probability: f64) -> PyResult<f64> {
    if !(0.0..=1.0).contains(&probability) {
        return Err(PyValueError::new_err(format!("a probability between 0 and 1, not {probability}")));
    }
    Ok(Normal::standard().inverse_cdf(probability))
}

#[pyfunction]
pub fn chi_square_above(value: f64, freedom: f64) -> PyResult<f64> {
    Ok(defined(ChiSquared::new(freedom))?.sf(value))
}

#[pyfunction]
pub fn f_above(value: f64, freedom: f64, residual_freedom: f64) -> PyResult<f64> {
    Ok(defined(FisherSnedecor::new(freedom, residual_freedom))?.sf(value))
}

#[pyfunction]
pub fn binomial_above(successes: u64, trials: u64, chance: f64) -> PyResult<f64> {
    Ok(defined(Binomial::new(chance, trials))?.sf(successes))
}

#[pyfunction]
pub fn binomial_quantile(probability: f64, trials: u64, chance: f64) -> PyResult<u64> {
    let binomial = defined(Binomial::new(chance, trials))?;
    let (mut least, mut most) = (0, trials); // statrs' own search may end one too far, or panic
    while least < most {
        let middle = least + (most - least) / 2;
        if binomial.cdf(middle) >= probability {
            most = middle;
        } else {
            least = middle + 1;
        }
    }
    Ok(least)
}

/// The exponentially weighted mean of doubles up to each of them, which begins at the first.
#[pyfunction]
#[allow(clippy::needless_pass_by_value)] // as PyO3 hands it over
pub fn running_mean(py: Python, values: PyBuffer<f64>, alpha: f64) -> PyResult<Vec<u8>> {
    let values = values.to_vec(py)?;
    let mut mean = values.first().copied().unwrap_or_default();
    Ok(values
        .iter()
        .flat_map(|value| {
            mean += alpha * (value - mean);
            mean.to_ne_bytes()
        })
        .collect())
}
