//! What an exploration needs of data, be they abstract or concrete.

use std::hash::Hash;

use crate::program::TransId;
use crate::reach::abstraction::Abstraction;
use crate::reach::cube::{CubeId, MaskId};
use crate::reach::images::Image;
use crate::reach::valuation::{ValuationId, Valuations};
use crate::smt::GaveUp;

/// States of data, and what transitions make of them.
pub(super) trait Data {
    /// A state, by number.
    type State: Copy + Eq + Hash;
    /// How much a state tells.
    type Shape: Copy + Eq;

    /// The states in the beginning.
    fn initial(&mut self) -> Result<Vec<Self::State>, GaveUp>;

    /// The states after a transition; none if it cannot be taken.
    fn image(&mut self, transition: TransId, state: Self::State) -> Result<Image, GaveUp>;

    /// The states of an image.
    fn states(&self, image: Image) -> &[Self::State];

    /// How much a state tells.
    fn shape(&self, state: Self::State) -> Self::Shape;

    /// What a state tells in another shape, if it tells that much and there is such a state.
    fn weaker(&self, state: Self::State, shape: Self::Shape) -> Option<Self::State>;
}

impl Data for Abstraction<'_> {
    type State = CubeId;
    type Shape = MaskId;

    fn initial(&mut self) -> Result<Vec<CubeId>, GaveUp> {
        self.initial()
    }

    fn image(&mut self, transition: TransId, state: CubeId) -> Result<Image, GaveUp> {
        self.image(transition, state)
    }

    fn states(&self, image: Image) -> &[CubeId] {
        self.cubes(image)
    }

    fn shape(&self, state: CubeId) -> MaskId {
        self.mask(state)
    }

    fn weaker(&self, state: CubeId, shape: MaskId) -> Option<CubeId> {
        self.weaker(state, shape)
    }
}

/// Concrete data tell all.
impl Data for Valuations<'_> {
    type State = ValuationId;
    type Shape = ();

    fn initial(&mut self) -> Result<Vec<ValuationId>, GaveUp> {
        Ok(vec![self.initial()])
    }

    fn image(&mut self, transition: TransId, state: ValuationId) -> Result<Image, GaveUp> {
        Ok(self.image(transition, state))
    }

    fn states(&self, image: Image) -> &[ValuationId] {
        self.valuations(image)
    }

    fn shape(&self, _: ValuationId) {}

    fn weaker(&self, state: ValuationId, (): ()) -> Option<ValuationId> {
        Some(state)
    }
}
